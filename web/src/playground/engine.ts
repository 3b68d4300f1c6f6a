// SPDX-License-Identifier: BSD-3-Clause
// Questions to the program that served this page. It computes; the page only draws.
import type { Refused } from "./types";

export class EngineError extends Error {
  constructor(message: string, readonly hint = "") {
    super(message);
  }
}

const most = 1 << 20;  // bytes of a question that the program reads

export async function ask<T>(question: object): Promise<T> {
  const body = JSON.stringify(question);
  if (new Blob([body]).size > most) throw new EngineError("this is too large", "at most a megabyte of text; halfspace playground FILE takes any table");
  let response: Response;
  try {
    response = await fetch("ask", { method: "POST", headers: { "Content-Type": "application/json" }, body });
  } catch {
    throw new EngineError("the program behind this page does not answer", "is halfspace playground still running?");
  }
  if (response.status === 503) throw new EngineError("the program is busy with other questions", "try again");
  if (!response.ok) throw new EngineError(`the program refused the request (${response.status})`);
  const answer = (await response.json()) as T & Partial<Refused>;
  if (answer.error) throw new EngineError(answer.error.message, answer.error.hint);
  return answer;
}

// One question at a time: while it is under way only the latest of the others is kept.
export class Latest<T> {
  private busy = false;
  private next: object | null = null;
  constructor(private readonly take: (answer: T) => void, private readonly fail: (error: EngineError) => void) {}

  ask(question: object): void {
    this.next = question;
    if (!this.busy) void this.run();
  }

  private async run(): Promise<void> {
    this.busy = true;
    while (this.next) {
      const question = this.next;
      this.next = null;
      try {
        const answer = await ask<T>(question);
        if (!this.next) this.take(answer);
      } catch (error) {
        if (!this.next) this.fail(error instanceof EngineError ? error : new EngineError(String(error)));
      }
    }
    this.busy = false;
  }
}
