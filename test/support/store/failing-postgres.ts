import { chown, mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePorts } from '../machine/free-ports.ts'
import { startPeer, until, type PeerProcess } from '../machine/peer-process.ts'
import { endBeforeRemoval, temporaryFolder, type Scope } from '../machine/temporary-folder.ts'
import { within } from '../machine/within.ts'
import { installedPrograms, NOBODY, runs } from './postgres.ts'

/** PostgreSQL that a test stops, kills, freezes and restarts, with the same data at the same address. */
export interface FailingPostgres {
  readonly url: string
  /** SIGINT: stop by an administrator. SIGKILL: out-of-memory kill. */
  stop(signal: 'SIGINT' | 'SIGKILL'): Promise<void>
  start(): Promise<void>
  /** Accepts connections and never answers, as on a frozen machine. */
  freeze(): Promise<void>
  thaw(): Promise<void>
}

const limitMs = 60_000

export const startFailingPostgres = async (t: Scope): Promise<FailingPostgres> => {
  const folder = await temporaryFolder(t)
  const programs = await findPrograms()
  const port = await freePorts(t, 1)
  const data = join(folder, 'data')
  await mkdir(data, { mode: 0o700 })
  for (const each of [folder, data]) if (NOBODY.uid !== undefined) await chown(each, NOBODY.uid, NOBODY.gid ?? 0)
  const run = (program: string, ...args: string[]): PeerProcess =>
    startPeer(t, 'setpriv', [...anonymously, join(programs, program), ...args], folder)
  const made = run('initdb', `--pgdata=${data}`, '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync')
  if ((await within(limitMs, 'initdb', made.ended)) !== 0) throw new Error(made.output())
  let server: PeerProcess | undefined
  const start = async (): Promise<void> => {
    const started = run('postgres', '-D', data, '-k', folder, '-h', '127.0.0.1', '-p', String(port))
    server = started
    await until('PostgreSQL', () => started.output().includes('ready to accept connections'))
  }
  const signalAll = async (signal: NodeJS.Signals): Promise<void> => {
    const first = server?.pid ?? -1
    for (const pid of [first, ...(await childrenOf(first))]) process.kill(pid, signal)
  }
  endBeforeRemoval(folder, async () => {
    if (!server?.running()) return
    await signalAll('SIGCONT')
    await server.stop('SIGINT')
  })
  await start()
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    start,
    stop: async (signal) => server?.stop(signal),
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
  }
}

/** Changing the user clears the parent-death signal: sets it again. */
const anonymously =
  NOBODY.uid === undefined
    ? ['--pdeathsig', 'KILL']
    : [`--reuid=${NOBODY.uid}`, `--regid=${NOBODY.gid}`, '--clear-groups', '--pdeathsig', 'KILL']

const findPrograms = async (): Promise<string> => {
  for (const folder of await installedPrograms()) if (await runs(folder)) return folder
  throw new Error('There is no PostgreSQL that the user nobody can run.')
}

const childrenOf = async (parent: number): Promise<number[]> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const parents = await Promise.all(pids.map(async (pid) => [Number(pid), await parentOf(pid)] as const))
  return parents.filter(([, its]) => its === parent).map(([pid]) => pid)
}

const parentOf = async (pid: string): Promise<number | undefined> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '') // it may have ended
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
}
