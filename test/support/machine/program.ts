import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { endBeforeRemoval, type Scope } from './temporary-folder.ts'

/** Root folder of this version. */
export const ourRoot = join(import.meta.dirname, '../../..')

/** Simulates a Mac. On a real one nothing has to be hidden. */
export const asMacOs: Record<string, string> =
  process.platform === 'darwin' ? {} : { NODE_OPTIONS: `--import=${join(import.meta.dirname, 'like-a-mac.mjs')}` }

/** `OFFHOOK_TEST_SYSTEM=mac node test/run.ts …`: simulates a Mac for every program that a test starts. */
const system = process.env.OFFHOOK_TEST_SYSTEM === 'mac' ? asMacOs : {}

export interface Program {
  child: ChildProcess
  /** Complete output, after it has ended. */
  stdout: Promise<string>
  stderr: Promise<string>
  /** Output so far. */
  written: { stdout: string; stderr: string }
  ended: Promise<number | null>
}

/** The real program in a separate process that does not outlive the test. `root`: folder of another version. `within`: command that starts it. */
export const offhook = (
  t: Scope,
  args: string[],
  settings: Record<string, string> = {},
  root = ourRoot,
  within: readonly string[] = [],
): Program => {
  const clean = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('OFFHOOK_') && name !== 'NODE_TEST_CONTEXT'),
  )
  // A test on a busy machine would lose calls; another version may not know the setting.
  const admitting = root === ourRoot ? { OFFHOOK_SHED_LOAD: 'off' } : {}
  const [command = process.execPath, ...rest] = [...within, process.execPath, join(root, 'bin/offhook.mjs'), ...args]
  const child = spawn(command, rest, {
    env: { ...clean, ...admitting, OFFHOOK_HTTP: '127.0.0.1:0', OFFHOOK_SIP: '127.0.0.1:0', OFFHOOK_SPEECH: 'off', ...system, ...settings },
  })
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  const end = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
  }
  t.after(end)
  endBeforeRemoval(settings.OFFHOOK_DATA, end)
  const written = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) child[stream].on('data', (piece: Buffer) => (written[stream] += piece.toString()))
  return { child, ended, stdout: text(child.stdout), stderr: text(child.stderr), written }
}

/** Parsed ready line; throws with its error output if it ends without one. */
export const ready = async <T = { http: string; sip: string; console: string }>({ child, ended, stderr }: Program): Promise<T> => {
  const first = await Promise.race([once(child.stdout ?? child, 'data'), ended.then(async () => Promise.reject(new Error(await stderr)))])
  return JSON.parse(String(first[0])) as T
}

/** Complete output, after it has ended. */
export const output = async (program: Program): Promise<[code: number | null, stdout: string, stderr: string]> => [
  await program.ended,
  await program.stdout,
  await program.stderr,
]

/** Resolves with the first match in past or future output of one stream. */
export const said = ({ child, written }: Program, stream: 'stdout' | 'stderr', pattern: RegExp): Promise<RegExpExecArray> =>
  new Promise((resolve, reject) => {
    const look = (): void => {
      const match = pattern.exec(written[stream])
      if (match) resolve(match)
    }
    child[stream]?.on('data', look)
    child.once('close', () => reject(new Error(`it ended without ${pattern.source}: ${written[stream]}`)))
    look()
  })
