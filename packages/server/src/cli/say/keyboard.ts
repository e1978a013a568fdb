import { createInterface } from 'node:readline'

/** The line that is being typed at a terminal; everything else is written above it. Opened when it is first read, or early input gets lost. */
export class Keyboard {
  readonly #terminal = createInterface({ input: process.stdin, output: process.stdout, prompt: '▶ ' })
  #isOpen = true

  /** Until Ctrl-C or Ctrl-D, or until it is closed. */
  async *lines(): AsyncGenerator<string> {
    this.#terminal.on('close', () => (this.#isOpen = false))
    this.#prompt()
    for await (const line of this.#terminal) {
      yield line
      this.#prompt()
    }
  }

  showAbove(line: string): void {
    process.stdout.write(`\r\u001b[K${line}\n`)
    this.#prompt()
  }

  close(): void {
    this.#terminal.close()
    process.stdout.write('\r\u001b[K')
  }

  /** Throws when the terminal is closed. */
  #prompt(): void {
    if (this.#isOpen) this.#terminal.prompt(true)
  }
}
