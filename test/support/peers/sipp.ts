import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { temporaryFolder, type Scope } from '../machine/temporary-folder.ts'
import { freePorts } from '../machine/free-ports.ts'
import { listening, startPeer, until, type PeerProcess } from '../machine/peer-process.ts'
import { within } from '../machine/within.ts'

const scenarios = join(import.meta.dirname, '../../data/sipp')
const defaultLimitMs = 120_000
const maxErrors = 20_000

export interface SippOptions {
  /** File of test/data/sipp, or a full path elsewhere; without `.xml`. */
  scenario: string
  /** host:port to call. Without it sipp waits for calls. */
  target?: string
  /** User part of the Request-URI. */
  service?: string
  calls?: number
  /** New calls per second. */
  rate?: number
  /** Concurrent calls. */
  concurrent?: number
  transport?: 'udp' | 'tcp'
  /** Values of [keyword] in the scenario. */
  keys?: Record<string, string>
  /** Credentials for digest challenges. */
  login?: { user: string; password: string }
  /** Echoes received RTP. */
  echo?: boolean
  address?: string
  /** Files that the scenario expects in its folder. */
  files?: Record<string, Uint8Array>
  more?: readonly string[]
  /** Keeps all messages, also those of many calls. */
  traced?: boolean
  /** Time limit of a whole run in milliseconds. */
  limitMs?: number
}

export interface SippResult {
  succeeded: number
  failed: number
  /** SIP messages on the wire. */
  messages: string
  /** Log of the scenario. */
  logged: string
  /** Errors of sipp. */
  errors: string
}

/** Running sipp: a scripted third-party phone or carrier. */
export interface Sipp {
  readonly port: number
  readonly address: string
  /** Resolves when all its calls have ended. Throws on timeout. */
  result(): Promise<SippResult>
  /** Messages so far, and the scenario's log so far. */
  messages(): Promise<string>
  logged(): Promise<string>
  stop(): Promise<void>
}

export const startSipp = async (t: Scope, options: SippOptions): Promise<Sipp> => {
  const folder = await temporaryFolder(t)
  const port = await freePorts(t, 20)
  for (const [name, content] of Object.entries(options.files ?? {})) await writeFile(join(folder, name), content)
  const peer = startPeer(t, 'sipp', argumentsOf(options, port), folder)
  if (options.target === undefined) await listening(peer, options.transport ?? 'udp', port)
  return {
    port,
    address: `${options.address ?? '127.0.0.1'}:${port}`,
    result: () => finished(peer, folder, options),
    messages: () => contents(folder, 'messages'),
    logged: () => contents(folder, 'logged'),
    stop: () => peer.stop(),
  }
}

/** Runs all calls of a scenario and returns the result. */
export const sipp = async (t: Scope, options: SippOptions): Promise<SippResult> => (await startSipp(t, options)).result()

/** Throws with sipp's errors unless every call followed its scenario. */
export const sippSucceeds = async (t: Scope, options: SippOptions): Promise<SippResult> => {
  const result = await sipp(t, options)
  assertSucceeded(result, options)
  return result
}

export const assertSucceeded = (result: SippResult, { scenario, calls = 1 }: SippOptions): void => {
  if (result.failed === 0 && result.succeeded === calls) return
  const story = calls > 5 ? '' : result.messages
  throw new Error(
    `${scenario}: ${result.succeeded} of ${calls} calls went well, ${result.failed} failed\n${result.errors.slice(0, maxErrors)}\n${story}`,
  )
}

const argumentsOf = (options: SippOptions, port: number): string[] => [
  ...(options.target === undefined ? [] : [options.target, '-s', options.service ?? 'service', '-r', String(options.rate ?? 10)]),
  ...Object.entries(valuesOf(options, port)).flat(),
  ...Object.entries({ from: 'sipp', ...options.keys }).flatMap(([name, value]) => ['-key', name, value]),
  '-trace_err',
  '-trace_stat',
  '-trace_logs',
  // The messages of many calls would fill the disk, and are rarely read.
  ...((options.traced ?? (options.calls ?? 1) <= 50) ? ['-trace_msg', '-message_file', 'messages'] : []),
  ...(options.echo === true ? ['-rtp_echo'] : []),
  '-nostdin',
  '-bind_local',
  '-aa',
  ...(options.more ?? []),
]

const valuesOf = (options: SippOptions, port: number): Record<string, string> => {
  const { scenario, target, calls = 1, transport = 'udp', address = '127.0.0.1', login } = options
  return {
    '-sf': resolve(scenarios, `${scenario}.xml`),
    // A waiting sipp counts pings as calls, so it is stopped from outside.
    '-m': target === undefined ? '1000000' : String(calls),
    '-fd': '200ms',
    '-l': String(options.concurrent ?? Math.max(calls, 10)),
    '-i': address,
    '-p': String(port),
    '-cp': String(port + 1),
    '-mi': address,
    '-mp': String(port + 2),
    '-t': transport === 'tcp' ? 't1' : 'u1',
    '-error_file': 'errors',
    '-stf': 'statistics',
    '-log_file': 'logged',
    '-recv_timeout': '60000',
    // Tolerates a busy machine.
    '-watchdog_minor_maxtriggers': '1000000',
    '-watchdog_major_maxtriggers': '1000000',
    ...(login && { '-au': login.user, '-ap': login.password }),
  }
}

const finished = async (peer: PeerProcess, folder: string, options: SippOptions): Promise<SippResult> => {
  const { limitMs = defaultLimitMs, scenario, target } = options
  try {
    if (target === undefined) await placedItsCalls(peer, folder, options)
    await within(limitMs, `sipp ${scenario}`, peer.ended)
  } catch (error) {
    throw new Error(`${String(error)}\n${await contents(folder, 'errors')}\n${await contents(folder, 'messages')}`, { cause: error })
  }
  const { succeeded, failed } = counted(await contents(folder, 'statistics'), peer)
  return {
    succeeded,
    failed,
    messages: await contents(folder, 'messages'),
    logged: await contents(folder, 'logged'),
    errors: await contents(folder, 'errors'),
  }
}

const placedItsCalls = async (
  peer: PeerProcess,
  folder: string,
  { calls = 1, scenario, limitMs = defaultLimitMs }: SippOptions,
): Promise<void> => {
  const look = async (): Promise<boolean> => {
    const { succeeded, failed } = counted(await contents(folder, 'statistics'), peer)
    return succeeded + failed >= calls
  }
  await until(`the calls of ${scenario}`, look, limitMs)
  await peer.stop()
}

/** The last line of its statistics has the sums, under the names in the first. */
const counted = (statistics: string, peer: PeerProcess): { succeeded: number; failed: number } => {
  const lines = statistics.trimEnd().split('\n')
  const names = lines[0]?.split(';') ?? []
  const values = lines.at(-1)?.split(';') ?? []
  const value = (name: string): number => Number(values[names.indexOf(name)])
  if (!names.includes('SuccessfulCall(C)') && !peer.running()) throw new Error(`sipp says no figures: ${peer.output().slice(-3000)}`)
  return { succeeded: value('SuccessfulCall(C)'), failed: value('FailedCall(C)') }
}

/** Sipp may start a second file of a kind, so all of them are read. */
const contents = async (folder: string, kind: string): Promise<string> => {
  const files = (await readdir(folder)).filter((name) => name.startsWith(kind)).toSorted()
  return (await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))).join('')
}
