import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

/** How its programs reach the database. The password is in their environment and not among their arguments, which everybody on the machine can see. */
const connectionOf = (url: string): { argument: string; environment: NodeJS.ProcessEnv } => {
  const address = new URL(url)
  const password = address.searchParams.get('password') ?? decodeURIComponent(address.password)
  address.password = ''
  address.searchParams.delete('password')
  // What our own driver knows and PostgreSQL's programs do not.
  if (address.searchParams.get('sslmode') === 'no-verify') address.searchParams.set('sslmode', 'require')
  address.searchParams.delete('uselibpqcompat')
  return {
    argument: `--dbname=${address.href}`,
    environment: { ...process.env, LC_ALL: 'C', ...(password !== '' && { PGPASSWORD: password }) },
  }
}

interface DumpParts {
  program: string
  url: string
  signal: AbortSignal
}

/** The whole database as it was at one moment, in PostgreSQL's own format; whose it was and who may use it is left out. */
export async function* dumped({ program, url, signal }: DumpParts): AsyncGenerator<Uint8Array, void, undefined> {
  const { argument, environment } = connectionOf(url)
  const args = ['--format=custom', '--no-owner', '--no-privileges', '--no-password', '--lock-wait-timeout=30s', argument]
  const child = spawn(program, args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'], signal })
  const ended = once(child, 'exit') as Promise<[number | null]>
  ended.catch(() => {}) // asked below
  const complaint = text(child.stderr)
  try {
    yield* child.stdout as AsyncIterable<Uint8Array>
    const [code] = await ended
    if (code !== 0) throw new Error(`pg_dump has failed: ${(await complaint).trim()}`)
  } finally {
    child.kill()
  }
}

/** All of it or nothing. */
export const restoreDump = async ({ program, url, signal }: DumpParts, file: string): Promise<void> => {
  const { argument, environment } = connectionOf(url)
  const args = ['--single-transaction', '--exit-on-error', '--no-owner', '--no-privileges', '--no-password', argument, file]
  const child = spawn(program, args, { env: environment, stdio: ['ignore', 'ignore', 'pipe'], signal })
  const [complaint, [code]] = await Promise.all([text(child.stderr), once(child, 'exit') as Promise<[number | null]>])
  if (code !== 0) throw new Error(`pg_restore has failed: ${complaint.trim()}`)
}
