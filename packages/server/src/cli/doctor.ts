import type { Settings } from '#settings/config.ts'
import { askHealth, findInstance, type FoundInstance } from './connection/instance.ts'
import { checkCertificates } from './doctor/certificates.ts'
import { checkClock } from './doctor/clock.ts'
import type { Check, Finding, DoctorContext } from './doctor/finding.ts'
import { checkFiles } from './doctor/files.ts'
import { checkDisk, checkModels, checkNode } from './doctor/machine.ts'
import { checkPorts, checkSound } from './doctor/network.ts'
import { checkEndpoint, checkWaysOut } from './doctor/outside.ts'
import { checkPackages } from './doctor/packages.ts'
import { checkPhones } from './doctor/phones.ts'
import { checkReach } from './doctor/reach.ts'
import { checkService } from './doctor/running-service.ts'
import { checkDatabase, checkSecrets } from './doctor/storage.ts'
import { checkVersions } from './doctor/versions.ts'
import { webAddress } from './listen.ts'
import { Mistake } from './terminal/mistake.ts'
import { paint } from './terminal/paint.ts'
import { settingsOf } from './start/settings.ts'

export interface DoctorOptions {
  endpoint?: string
  json?: boolean
}

const checks: Check[] = [
  checkNode,
  checkService,
  checkVersions,
  checkPorts,
  checkSound,
  checkReach,
  checkCertificates,
  checkPackages,
  checkDatabase,
  checkPhones,
  checkSecrets,
  checkFiles,
  checkModels,
  checkDisk,
  checkClock,
  checkWaysOut,
  checkEndpoint,
]

const marks = { fine: ['green', '✔'], doubtful: ['yellow', '!'], broken: ['red', '✖'] } as const

/** Checks everything that a start needs and what runs, and says what to do about what is wrong. */
export const doctor = async ({ endpoint, json }: DoctorOptions): Promise<void> => {
  const settings = settingsOf(process.env)
  const instance = await findInstance([settings.OFFHOOK_DATA])
  const runsAt = await whereItRuns(settings, instance)
  const context: DoctorContext = { settings, instance, runsAt, endpoint: endpoint === undefined ? undefined : webAddress(endpoint) }
  const findings: Finding[] = []
  for (const check of checks) {
    for (const finding of await findingsOf(check, context)) {
      if (json !== true) console.log(lineOf(finding))
      findings.push(finding)
    }
  }
  const wrong = findings.filter(({ state }) => state === 'broken').length
  if (json === true) console.log(JSON.stringify({ well: wrong === 0, runsAt, instance: instance?.notes, findings }, null, 2))
  if (wrong > 0) throw new Mistake(1, wrong === 1 ? 'One thing is wrong.' : `${wrong} things are wrong.`)
}

/** By its notes; else where the settings say: a service of an older version leaves none. */
const whereItRuns = async (settings: Settings, instance: FoundInstance | undefined): Promise<string | undefined> => {
  if (instance?.state === 'running') return instance.notes.addresses.http
  const url = addressOf(settings)
  return url !== undefined && (await askHealth(url)) ? url : undefined
}

/** Where a service with these settings listens; one elsewhere is another one. */
const addressOf = ({ OFFHOOK_HTTP: { host, port } }: Settings): string | undefined => {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host
  return port === 0 ? undefined : `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

const findingsOf = async (check: Check, context: DoctorContext): Promise<Finding[]> => {
  try {
    return await check(context)
  } catch (error) {
    return [{ about: check.name, state: 'broken', says: (error as Error).message }]
  }
}

const lineOf = ({ about, state, says, advice }: Finding): string => {
  const [colour, mark] = marks[state]
  return `${paint(colour, mark)} ${about.padEnd(16)}${says}${advice === undefined ? '' : `\n  ${''.padEnd(16)}${paint('bold', advice)}`}`
}
