import { spawn } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import { SpeechUnavailable } from '#core/kernel/ports/speech.ts'

/** A sentence takes some hundredths of a second; then something is wrong. */
const deadlineMs = 10_000
const maxBytes = 20_000_000
/** Of one program at a time: more would only make each of them slower. */
const maxConcurrent = 4

/** Where it is installed. */
export const findProgram = async (name: string, path: string): Promise<string | undefined> => {
  for (const folder of path.split(delimiter).filter((one) => isAbsolute(one))) {
    const file = join(folder, name)
    if (
      await access(file, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return file
  }
  return undefined
}

/** A program that is started for each sentence, gets it on its input and is gone after it. */
export class Program {
  readonly #file: string
  #waiting: (() => void)[] = []
  readonly #running = new Set<Promise<unknown>>()
  readonly #closing = new AbortController()

  constructor(file: string) {
    this.#file = file
  }

  /** What it writes. It is killed when the signal is aborted. */
  async run(args: readonly string[], input: string, signal: AbortSignal): Promise<Buffer> {
    const ending = AbortSignal.any([signal, this.#closing.signal])
    while (this.#running.size >= maxConcurrent && !ending.aborted) await this.#changed(ending)
    ending.throwIfAborted()
    const running = outputOf(this.#file, args, input, ending)
    this.#running.add(running)
    try {
      return await running
    } finally {
      this.#running.delete(running)
      const woken = this.#waiting
      this.#waiting = []
      for (const wake of woken) wake()
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new SpeechUnavailable('the voice was closed'))
    await Promise.allSettled(this.#running)
  }

  /** One of them is done, or was aborted. */
  #changed(ending: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      ending.addEventListener('abort', () => resolve(), { once: true })
    })
  }
}

const outputOf = async (file: string, args: readonly string[], input: string, signal: AbortSignal): Promise<Buffer> => {
  const late = AbortSignal.timeout(deadlineMs)
  const child = spawn(file, args, {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'], LANG: 'C.UTF-8' },
    signal: AbortSignal.any([signal, late]),
    killSignal: 'SIGKILL',
  })
  let failure: unknown
  child.once('error', (error) => (failure = error))
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  const chunks: Buffer[] = []
  let bytes = 0
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > maxBytes) child.kill('SIGKILL')
    else chunks.push(chunk)
  })
  // It may end without reading all; what it says about that is its exit code.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const code = await closed
  signal.throwIfAborted()
  if (late.aborted) throw new SpeechUnavailable(`${file} took longer than ${deadlineMs} ms`)
  if (failure !== undefined) throw new SpeechUnavailable(`${file} can't be started`, { cause: failure })
  if (code !== 0) throw new SpeechUnavailable(`${file} failed (${code ?? 'killed'})`)
  return Buffer.concat(chunks)
}
