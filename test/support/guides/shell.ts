import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../machine/peer-process.ts'

/** True if bash accepts it and it is complete: no open quote, no unterminated here-document. */
export const isWhole = (text: string): boolean => !/\\\n?$/.test(text) && mistakeIn(text) === ''

/** Bash's syntax errors, without running it. */
export const mistakeIn = (text: string): string => {
  const { status, stderr } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' })
  return status === 0 ? stderr : stderr || 'it is no shell script'
}

/** Commands as they would be typed; a multi-line one counts as one. */
export const commandsIn = (text: string): string[] => {
  const commands: string[] = []
  let open = ''
  for (const line of text.split('\n')) {
    open += `${line}\n`
    if (!isWhole(open)) continue
    if (!/^\s*(#.*)?$/.test(open.trim())) commands.push(open.trimEnd())
    open = ''
  }
  return open.trim() === '' ? commands : [...commands, open.trimEnd()]
}

/** Long-running program in a separate terminal. */
export interface Terminal {
  pid: number
  said: () => string
}

/** Bash in a folder, which keeps its variables and functions between commands. */
export class Shell {
  readonly #folder: string
  readonly #bash: ChildProcess
  readonly #terminals = new Set<Terminal>()
  #said = ''
  #count = 0

  constructor(folder: string, environment: Record<string, string | undefined>) {
    this.#folder = folder
    this.#bash = spawn('setpriv', ['--pdeathsig', 'KILL', 'bash', '--norc', '--noprofile'], { cwd: folder, env: environment })
    for (const stream of [this.#bash.stdout, this.#bash.stderr]) stream?.on('data', (piece: Buffer) => (this.#said += piece.toString()))
    // Each long-running command has its own process group and an idle standard input.
    this.#write('set -m -o pipefail; exec 2>&1 3< <(exec tail -f /dev/null)')
  }

  /** Returns the output; throws if the command fails. */
  async run(command: string): Promise<string> {
    const end = `end-of-command-${this.#count++}`
    this.#said = ''
    this.#write(`{ ${command}\n} < /dev/null\nprintf '\\n${end} %s\\n' "$?"`)
    const [whole, code] = await until(
      command,
      () => {
        if (this.#bash.exitCode !== null) throw new Error(`the shell ended at: ${command}\n${this.#said}`)
        const found = new RegExp(`\\n${end} (\\d+)\\n`).exec(this.#said)
        return found ? ([this.#said.slice(0, found.index), Number(found[1])] as const) : undefined
      },
      120_000,
    )
    if (code !== 0) throw new Error(`ended with ${code}: ${command}\n${whole}`)
    return whole
  }

  /** Starts a long-running command, and waits for its ready output. */
  async start(command: string, isThere: RegExp): Promise<Terminal> {
    const file = join(this.#folder, `terminal-${this.#count++}.txt`)
    writeFileSync(file, '') // the command may start after the first read
    const pid = Number(await this.run(`{ ${command}\n} <&3 > ${file} 2>&1 & printf '%s' "$!"`))
    const terminal: Terminal = { pid, said: () => readFileSync(file, 'utf8') }
    this.#terminals.add(terminal)
    await until(
      `${isThere.source} of ${command}`,
      () => {
        const said = terminal.said()
        if (!isThere.test(said) && !isRunning(pid)) throw new Error(`it ended: ${command}\n${said}`)
        return isThere.test(said) || undefined
      },
      90_000,
    ).catch((error: Error) => {
      throw new Error(`${error.message}\n${terminal.said()}`)
    })
    return terminal
  }

  /** Sends Ctrl-C, and waits for the end. */
  async stop(terminal: Terminal): Promise<void> {
    if (!this.#terminals.delete(terminal)) return
    await this.run(`kill -INT -- -${terminal.pid} 2> /dev/null || true; wait ${terminal.pid} || true`)
  }

  async close(): Promise<void> {
    for (const terminal of this.#terminals) await this.stop(terminal)
    const ended = once(this.#bash, 'exit')
    this.#write('exit')
    await ended
  }

  #write(text: string): void {
    this.#bash.stdin?.write(`${text}\n`)
  }
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
