import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { openScope } from './scope.ts'

export interface Child {
  process: ChildProcess
  pid: number
  /** JSON line printed when ready. */
  ready: Record<string, unknown>
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** Starts one of the project's programs and waits for its ready line. */
export const startChild = async (args: string[], environment: Record<string, string> = {}): Promise<Child> => {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, ...environment } })
  // A bench that fails or is stopped must not leave its servers running.
  const killWithUs = (): void => void child.kill('SIGKILL')
  process.once('exit', killWithUs)
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve())).then(() => void process.off('exit', killWithUs))
  const scope = openScope()
  scope.after(() => {
    killWithUs()
    return exited
  })
  void exited.then(() => scope.end())
  const first = await Promise.race([firstLine(child), exited])
  if (first === undefined || child.pid === undefined) throw new Error(`${args.join(' ')} ended before it was ready`)
  return {
    process: child,
    pid: child.pid,
    ready: JSON.parse(first) as Record<string, unknown>,
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      await exited
    },
  }
}

const firstLine = async (child: ChildProcess): Promise<string | undefined> => {
  if (!child.stdout) return undefined
  for await (const line of createInterface({ input: child.stdout })) return line
  return undefined
}

const ticksPerSecond = 100

/** CPU seconds of a process, including its threads. */
export const cpuSeconds = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

/** CPU seconds of its ended children. */
export const endedChildrenCpuSeconds = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond
}

export const residentMegabytes = (pid: number): number => {
  const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Math.round(Number(match?.[1]) / 1024)
}

export const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN
