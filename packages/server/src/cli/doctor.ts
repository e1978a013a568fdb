import type { Settings } from '#settings/config.ts'
import { answers } from './connection/connection.ts'
import type { Check, Finding, Patient } from './doctor/finding.ts'
import { checkFiles } from './doctor/files.ts'
import { checkClock, checkDisk, checkModels, checkNode } from './doctor/machine.ts'
import { checkPorts, checkSound } from './doctor/network.ts'
import { checkEndpoint, checkService, checkWaysOut } from './doctor/outside.ts'
import { checkPackages } from './doctor/packages.ts'
import { checkPhones } from './doctor/phones.ts'
import { checkCertificate, checkDatabase, checkSecrets } from './doctor/storage.ts'
import { webAddress } from './listen.ts'
import { Mistake } from './terminal/mistake.ts'
import { paint } from './terminal/paint.ts'
import { settingsOf } from './start/settings.ts'

export interface DoctorOptions {
  endpoint?: string
}

const checks: Check[] = [
  checkNode,
  checkService,
  checkPorts,
  checkSound,
  checkCertificate,
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

/** Checks everything that a start needs, and says what to do about what is wrong. */
export const doctor = async ({ endpoint }: DoctorOptions): Promise<void> => {
  const settings = settingsOf(process.env)
  const url = addressOf(settings)
  const runsAt = url !== undefined && (await answers(url)) ? url : undefined
  const patient: Patient = { settings, runsAt, endpoint: endpoint === undefined ? undefined : webAddress(endpoint) }
  let wrong = 0
  for (const check of checks) {
    for (const finding of await findingsOf(check, patient)) {
      console.log(lineOf(finding))
      if (finding.state === 'broken') wrong++
    }
  }
  if (wrong > 0) throw new Mistake(1, wrong === 1 ? 'One thing is wrong.' : `${wrong} things are wrong.`)
}

/** Where a service with these settings listens; one elsewhere is another one. */
const addressOf = ({ OFFHOOK_HTTP: { host, port } }: Settings): string | undefined => {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host
  return port === 0 ? undefined : `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

const findingsOf = async (check: Check, patient: Patient): Promise<Finding[]> => {
  try {
    return await check(patient)
  } catch (error) {
    return [{ about: check.name, state: 'broken', says: (error as Error).message }]
  }
}

const lineOf = ({ about, state, says, advice }: Finding): string => {
  const [colour, mark] = marks[state]
  return `${paint(colour, mark)} ${about.padEnd(16)}${says}${advice === undefined ? '' : `\n  ${''.padEnd(16)}${paint('bold', advice)}`}`
}
