import { realClock } from '#adapters/clock/clocks.ts'
import { checkCertificates } from '#wiring/listening/certificates.ts'
import { s3Options } from '#wiring/files/open-files.ts'
import { readPushSigning } from '#wiring/push.ts'
import { CannotStart } from '#settings/cannot-start.ts'
import { reportSettings, type SettingInForce, type Settings } from '#settings/config.ts'
import { masked } from '#settings/masked.ts'
import type { Source } from '#settings/setting-sources.ts'
import { Mistake } from './terminal/mistake.ts'
import { paint } from './terminal/paint.ts'

export interface ConfigOptions {
  changed?: boolean
  check?: boolean
  json?: boolean
}

/** Prints the effective settings and their sources; hides secrets. */
export const config = async ({ changed, check, json }: ConfigOptions): Promise<void> => {
  const { inForce, settings, mistakes, warnings } = reportSettings(process.env)
  const wrong = [...mistakes, ...(settings ? await doesNotFit(settings) : [])]
  const shown = changed === true ? inForce.filter(({ source }) => source.kind !== 'default') : inForce
  if (json === true) console.log(JSON.stringify({ settings: shown.map(inJson), mistakes: wrong, warnings }, null, 2))
  else {
    if (check !== true) console.log(table(shown))
    for (const warning of warnings) console.error(`offhook: ${warning}`)
  }
  if (wrong.length > 0) throw new Mistake(1, wrong.join('\n'))
  if (check === true && json !== true) console.log('The settings are right.')
}

/** Other reasons that would stop the start: settings that conflict, and unusable files. */
const doesNotFit = async (settings: Settings): Promise<string[]> => {
  const quietly = { clock: realClock(), log: () => {} }
  const checks = [(all: Settings) => checkCertificates(all, quietly), s3Options, readPushSigning]
  const results = await Promise.allSettled(checks.map(async (check) => check(settings)))
  return results.flatMap((result) => {
    if (result.status === 'fulfilled') return []
    if (result.reason instanceof CannotStart) return [result.reason.message]
    throw result.reason
  })
}

const inJson = ({ name, text, source: { kind, where } }: SettingInForce): object => ({
  name,
  value: masked(name, text),
  source: kind,
  ...(where !== undefined && { where }),
})

const table = (shown: SettingInForce[]): string => {
  const rows = shown.map(({ name, text, source }) => [name, masked(name, text), sourceWords(source)] as const)
  const [names, values] = [0, 1].map((column) => Math.min(60, Math.max(0, ...rows.map((row) => row[column]?.length ?? 0))))
  return rows
    .map(([name, value, source]) => `${paint('bold', name.padEnd(names ?? 0))}  ${value.padEnd(values ?? 0)}  ${paint('gray', source)}`)
    .join('\n')
}

const sourceWords = ({ kind, where }: Source): string => (where === undefined || kind === 'file' ? (where ?? kind) : `${kind} ${where}`)
