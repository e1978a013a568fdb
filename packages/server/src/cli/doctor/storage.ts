import { stat } from 'node:fs/promises'
import { constants, accessSync } from 'node:fs'
import { dirname } from 'node:path'
import { broken, fine, type Check, type Finding, type DoctorContext } from './finding.ts'

export const checkDatabase: Check = async (context) =>
  context.settings.DATABASE_URL === undefined ? [sqlite(context)] : postgres(context.settings.DATABASE_URL)

const sqlite = ({ settings: { OFFHOOK_DATA: folder } }: DoctorContext): Finding => {
  try {
    accessSync(nearest(folder), constants.W_OK)
    return fine('database', `SQLite in ${folder}, for one process; several need PostgreSQL (DATABASE_URL) and a bus (OFFHOOK_BUS)`)
  } catch (error) {
    return broken('database', `${folder} cannot be written: ${(error as Error).message}`, 'Set OFFHOOK_DATA, or its owner.')
  }
}

const nearest = (folder: string): string => {
  try {
    accessSync(folder)
    return folder
  } catch {
    return dirname(folder) === folder ? folder : nearest(dirname(folder))
  }
}

const maxGapMs = 2_000

const postgres = async (url: string): Promise<Finding[]> => {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  try {
    await client.connect()
    const asked = Date.now()
    const { rows } = await client.query<{ now: Date; version: string }>(
      "select clock_timestamp() as now, current_setting('server_version') as version",
    )
    const [{ now, version } = { now: new Date(), version: '' }] = rows
    const apart = Math.round(Math.abs(now.getTime() - (asked + Date.now()) / 2))
    const clock =
      apart > maxGapMs
        ? broken('database clock', `${apart} ms apart from ours`, 'Set both by NTP: leases and time limits depend on it.')
        : fine('database clock', `${apart} ms apart from ours`)
    return [fine('database', `PostgreSQL ${version}`), clock]
  } catch (error) {
    return [
      broken(
        'database',
        `DATABASE_URL cannot be used: ${(error as Error).message || 'no answer'}`,
        'Is PostgreSQL running? Is the address right?',
      ),
    ]
  } finally {
    await client.end().catch(() => {})
  }
}

/** With these files an attacker could act as any user. */
export const checkSecrets: Check = async ({ settings: { OFFHOOK_DATA } }) => {
  const files = ['secret.key', 'first-run.json', 'offhook.db'].map((name) => `${OFFHOOK_DATA}/${name}`)
  const modes = await Promise.all(
    files.map((file) =>
      stat(file).then(
        ({ mode }) => mode & 0o077,
        () => 0,
      ),
    ),
  )
  const open = files.filter((_, index) => modes[index] !== 0)
  if (open.length === 0) return []
  return [broken('secrets', `others on this machine can read ${open.join(', ')}`, `chmod 600 ${open.join(' ')}`)]
}
