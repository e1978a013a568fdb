import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { schemaRelease } from '#adapters/store/migrate.ts'
import { version } from '#settings/version.ts'
import { broken, suspect, fine, type Check, type Finding, type DoctorContext } from './finding.ts'

/** Whether the versions of this program, the running service and the database match. */
export const checkVersions: Check = async (context) => [ofService(context), ...(await ofDatabase(context))]

const ofService = ({ instance, runsAt }: DoctorContext): Finding => {
  const ours = `this program is ${version()}`
  if (runsAt === undefined) return fine('version', ours)
  if (instance?.state !== 'running')
    return suspect('version', `${ours}; the service is of another version, which does not say it`, 'Restart it.')
  const { version: theirs, node } = instance.notes
  if (theirs !== version())
    return suspect('version', `${ours}, the service that runs is ${theirs}`, 'Restart the service, and it is the same.')
  if (node !== process.versions.node)
    return suspect(
      'version',
      `${ours}; the service runs with Node ${node}, this is ${process.versions.node}`,
      'Start both in the same way.',
    )
  return fine('version', `${ours}, and so is the service`)
}

const ofDatabase = async ({ settings: { DATABASE_URL: url, OFFHOOK_DATA } }: DoctorContext): Promise<Finding[]> => {
  const noted = url === undefined ? await inSqlite(join(OFFHOOK_DATA, 'offhook.db')) : await inPostgres(url)
  if (noted === undefined) return []
  const { newest, min_reader: min } = noted
  const says = `the database is of schema release ${newest}, this program of ${schemaRelease}`
  if (schemaRelease < min) return [broken('schema', says, 'Start the newer version again, or restore a backup that was made before it.')]
  if (newest < schemaRelease)
    return [suspect('schema', says, 'The next start brings it up to date. Make a backup first: offhook backup FILE')]
  return [newest > schemaRelease ? suspect('schema', says, 'It works; finish the upgrade of all processes.') : fine('schema', says)]
}

interface Release {
  newest: number
  min_reader: number
}

const question = 'select newest, min_reader from schema_release'

/** Undefined where there is none, or an old one: the next start creates it. */
const inSqlite = async (file: string): Promise<Release | undefined> => {
  if (!existsSync(file)) return undefined
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return database.prepare(question).get() as Release | undefined
  } catch {
    return undefined
  } finally {
    database.close()
  }
}

const inPostgres = async (url: string): Promise<Release | undefined> => {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  try {
    await client.connect()
    return (await client.query<Release>(question)).rows[0]
  } catch {
    return undefined
  } finally {
    await client.end().catch(() => {})
  }
}
