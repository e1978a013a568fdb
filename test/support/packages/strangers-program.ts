import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import type { Program } from '../machine/program.ts'
import { endBeforeRemoval, type Scope } from '../machine/temporary-folder.ts'

export interface Where {
  cwd: string
  env: Record<string, string>
  /** Folder that is removed after the test. */
  home: string
}

/** Starts a program; ends it after the test with all its children. */
export const startProgram = (t: Scope, [program = '', ...args]: readonly string[], { cwd, env, home }: Where): Program => {
  // Separate process group, as in a terminal: its children may outlive it.
  const child = spawn(program, args, { cwd, env, detached: true })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  const end = async (): Promise<void> => {
    interruptGroup(child.pid)
    await ended
  }
  t.after(end)
  endBeforeRemoval(home, end)
  const written = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) child[stream].on('data', (piece: Buffer) => (written[stream] += piece.toString()))
  return { child, ended, stdout: text(child.stdout), stderr: text(child.stderr), written }
}

/** Like Ctrl-C. SIGKILL would leave children behind that have their own group and are stopped by their parent. */
const interruptGroup = (pid: number | undefined): void => {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGINT')
  } catch {
    // All of them have ended.
  }
}

/** Runs to the end; returns stdout. Throws with the error output. */
export const runProgram = async ([program = '', ...args]: readonly string[], { cwd, env }: Omit<Where, 'home'>): Promise<string> => {
  const { stdout } = await promisify(execFile)(program, args, { cwd, env, timeout: 60_000 })
  return stdout
}
