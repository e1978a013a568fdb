import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { Client } from 'pg'
import { freePorts } from '../machine/free-ports.ts'
import { until } from '../machine/peer-process.ts'
import { endBeforeRemoval, temporaryFolder, type Scope } from '../machine/temporary-folder.ts'
import { createDatabase, installedPrograms, NOBODY, programsIn } from '../store/postgres.ts'

/** Separate PostgreSQL that can be stopped, killed, frozen, and restarted on its data. */
export class ClusterDatabase {
  /** URL of the installation's database. */
  url = ''
  readonly #programs: string
  readonly #folder: string
  readonly #port: number
  #server: ChildProcess | undefined
  #ended: Promise<unknown> = Promise.resolve()

  private constructor(programs: string, folder: string, port: number) {
    this.#programs = programs
    this.#folder = folder
    this.#port = port
  }

  static async start(t: Scope): Promise<ClusterDatabase> {
    const folder = await temporaryFolder(t)
    const [installed = ''] = await installedPrograms()
    const database = new ClusterDatabase(await programsIn(folder, installed), folder, await freePorts(t, 1))
    endBeforeRemoval(folder, () => database.end('SIGKILL'))
    await database.#initialise()
    await database.start()
    database.url = await createDatabase(database.#urlOf('postgres'), { name: 'offhook' })
    return database
  }

  get port(): number {
    return this.#port
  }

  get running(): boolean {
    return this.#server !== undefined
  }

  async start(): Promise<void> {
    const args = ['-D', 'data', '-k', this.#folder, '-h', '127.0.0.1', '-p', String(this.#port), '-c', 'max_connections=200']
    const server = this.#spawn('postgres', args, 'ignore')
    this.#server = server
    this.#ended = once(server, 'exit')
    await until('PostgreSQL takes connections', () => this.#answers())
  }

  /** SIGINT: closes connections and writes everything. SIGKILL: power failure. */
  async end(signal: 'SIGINT' | 'SIGKILL' | 'SIGQUIT'): Promise<void> {
    const server = this.#server
    if (!server) return
    this.#server = undefined
    server.kill('SIGCONT')
    // Only the postmaster is killed; its children notice, and the next start has to wait for them.
    server.kill(signal === 'SIGKILL' ? 'SIGQUIT' : signal)
    await this.#ended
  }

  async query(sql: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: this.url })
    await client.connect()
    try {
      return (await client.query<Record<string, unknown>>(sql, [...values])).rows
    } finally {
      await client.end()
    }
  }

  async #initialise(): Promise<void> {
    const args = ['--pgdata=data', '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync', '--no-instructions']
    const [code] = (await once(this.#spawn('initdb', args, 'ignore'), 'exit')) as [number | null]
    if (code !== 0) throw new Error('initdb failed')
  }

  async #answers(): Promise<boolean | undefined> {
    if (typeof this.#server?.exitCode === 'number') throw new Error('PostgreSQL ended early')
    const client = new Client({ connectionString: this.#urlOf('postgres') })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.end()
      return true
    } catch {
      return undefined
    }
  }

  #spawn(program: string, args: readonly string[], stdio: 'ignore'): ChildProcess {
    const env = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
    const options: SpawnOptions = { ...NOBODY, cwd: this.#folder, env, stdio }
    // Ends with a killed test run.
    return spawn('setpriv', ['--pdeathsig', 'QUIT', `${this.#programs}/${program}`, ...args], options)
  }

  #urlOf(name: string): string {
    return `postgres://postgres@127.0.0.1:${this.#port}/${name}`
  }
}
