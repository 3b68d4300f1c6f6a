// SPDX-License-Identifier: BSD-3-Clause
// Light, dark, or as the system has it.
import { h } from "./dom";

const modes = ["system", "light", "dark"] as const;

export function themeButton(): HTMLElement {
  let at = 0;
  const button = h("button", { type: "button", class: "theme" });
  const show = () => {
    const mode = modes[at];
    if (mode === "system") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.setAttribute("data-theme", mode);
    button.textContent = `Colours: ${mode}`;
  };
  button.addEventListener("click", () => {
    at = (at + 1) % modes.length;
    show();
  });
  show();
  return button;
}
