// SPDX-License-Identifier: BSD-3-Clause
// Files out of the page: the points, the trace, the picture.
import type { Point } from "./types";

export const save = (text: string, type: string, file: string) => saveBlob(new Blob([text], { type }), file);

function saveBlob(blob: Blob, file: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

// Labels -1 and 1, so that the program reads the classes in this order: +1 is the last one.
export const csv = (points: Point[]) => `x1,x2,label\n${points.map((p) => `${p[0]},${p[1]},${p[2]}\n`).join("")}`;

const styles = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "stroke-linecap", "stroke-linejoin", "opacity", "font-size", "font-style", "font-weight", "font-family", "text-anchor", "paint-order"];

// The picture as points of light, twice as fine as on the screen.
export function savePng(svg: SVGElement, file: string, failed: () => void): void {
  const address = URL.createObjectURL(new Blob([svgFile(svg)], { type: "image/svg+xml" }));
  const image = new Image();
  const width = Number(svg.getAttribute("width")), height = Number(svg.getAttribute("height"));
  image.onerror = () => { URL.revokeObjectURL(address); failed(); };
  image.onload = () => {
    const canvas = document.createElement("canvas");
    canvas.width = 2 * width;
    canvas.height = 2 * height;
    canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
    URL.revokeObjectURL(address);
    canvas.toBlob((blob) => (blob ? saveBlob(blob, file) : failed()), "image/png");
  };
  image.src = address;
}

// The picture as it is seen, with the colours of the page written into it.
export function svgFile(svg: SVGElement): string {
  const copy = svg.cloneNode(true) as SVGElement;
  const from = [svg, ...svg.querySelectorAll("*")], to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((element, k) => {
    const seen = getComputedStyle(element);
    for (const style of styles) to[k].setAttribute(style, seen.getPropertyValue(style));
    to[k].removeAttribute("class");
  });
  copy.querySelectorAll("[fill-opacity='0'][stroke='none']").forEach((e) => e.remove());
  copy.removeAttribute("tabindex");
  copy.setAttribute("role", "img");
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.insertAdjacentHTML("afterbegin", `<rect width="100%" height="100%" fill="${getComputedStyle(document.body).backgroundColor}"/>`);
  return new XMLSerializer().serializeToString(copy);
}
