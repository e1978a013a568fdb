import { CannotStart } from '#settings/cannot-start.ts'
import { version } from '#settings/version.ts'
import type { UpgradeOutlook } from '#wiring/database/upgrade-outlook.ts'
import { settingsOf } from './start/settings.ts'
import { Mistake } from './terminal/mistake.ts'
import { paint } from './terminal/paint.ts'

/** Prints the effect of starting this version on the database, without changes. Fails when it could not start, or could not be rolled back. */
export const checkUpgrade = async (): Promise<void> => {
  const settings = settingsOf(process.env)
  const { upgradeOutlook } = await import('#wiring/database/upgrade-outlook.ts')
  const outlook = await upgradeOutlook(settings).catch((error: unknown) => {
    throw error instanceof CannotStart ? new Mistake(1, error.message) : error
  })
  for (const [about, says] of linesOf(outlook)) console.log(`${paint('bold', about.padEnd(14))}${says}`)
  if (!outlook.starts) throw new Mistake(1, 'This version cannot work with this database: start the newer version, or restore a backup.')
  if (!outlook.canGoBack)
    throw new Mistake(1, 'Make a backup, and end every process of the old version first: it cannot work beside this one.')
}

export const linesOf = ({
  database,
  schema,
  ours,
  starts,
  ahead,
  oldestReader,
  canGoBack,
}: UpgradeOutlook): [about: string, says: string][] => [
  ['database', schema ? `${database}: schema of release ${schema.release}, last change ${schema.made.at(-1) ?? ''}` : `${database}: empty`],
  ['this version', `${version()}, of release ${ours}: ${starts ? 'can work with it' : 'too old for it'}`],
  ...(starts ? startLines({ schema, ahead, oldestReader, canGoBack }) : []),
]

const startLines = ({
  schema,
  ahead,
  oldestReader,
  canGoBack,
}: Pick<UpgradeOutlook, 'schema' | 'ahead' | 'oldestReader' | 'canGoBack'>): [string, string][] => {
  if (!schema) return [['its start', 'makes the tables']]
  const changes = ahead.map(({ name, kind }) => `${name} (${kind})`).join(', ')
  const back = canGoBack
    ? `versions of release ${oldestReader} and newer work beside it and after it`
    : `what ran until now is of release ${schema.release}, and only release ${oldestReader} and newer work with it then: the way back is a backup`
  return [
    ['its start', ahead.length === 0 ? 'changes nothing' : `changes the schema: ${changes}`],
    ['the way back', back],
  ]
}
