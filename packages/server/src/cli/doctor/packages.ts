import { createRequire } from 'node:module'
import { findProgram } from '#adapters/speech/synthesiser/program-voices.ts'
import { inClone } from '#places.ts'
import { suspect, fine, type Check, type Finding } from './finding.ts'
import { lookAtMachine, type Machine } from '#wiring/machine/machine.ts'

/** Missing components of the system, its package manager or npm, and their effect. Everything else works without them. */
export const checkPackages: Check = async ({ settings }) => {
  const machine = await lookAtMachine(settings)
  return [systemOf(machine), carrierOf(machine, settings.OFFHOOK_MEDIA_UDP), fax(machine), paper(machine), await voices(), ...browsers()]
}

const setUp = inClone ? 'npm run setup:fax' : process.platform === 'darwin' ? 'brew install poppler' : 'apt install poppler-utils'

/** Never tested on macOS; its code paths were tested on Linux with OFFHOOK_PORTABLE. */
const systemOf = ({ system }: Machine): Finding => {
  if (system === 'linux') return fine('system', 'Linux')
  if (system === 'wsl')
    return suspect(
      'system',
      'Linux in Windows (WSL)',
      'Phones outside of this Windows reach it only with networkingMode=mirrored in .wslconfig; guide macos-and-wsl.md.',
    )
  const name = system === 'macos' ? 'macOS' : system
  return suspect('system', name, `Offhook is tried on Linux; what is different on ${name} was only simulated. Guide macos-and-wsl.md.`)
}

const carrierOf = ({ audio }: Machine, wanted: 'auto' | 'dgram'): Finding => {
  if (audio === 'koffi') return fine('sound carrier', 'system calls of Linux (koffi)')
  const why = wanted === 'dgram' ? 'as OFFHOOK_MEDIA_UDP says' : 'because those system calls are not there'
  return fine('sound carrier', `dgram, ${why}; it carries half as many calls`)
}

const fax = ({ withoutFax }: Machine): Finding =>
  withoutFax === undefined
    ? fine('fax', 'libspandsp is there')
    : suspect('fax', `faxes are neither sent to nor received from phone lines: ${withoutFax.replace(/: .*$/, '')}`, adviceIn(withoutFax))

/** The command to type follows the colon. */
const adviceIn = (missing: string): string => (missing.includes(': ') ? missing.replace(/^.*: /, '') : 'Set OFFHOOK_PORTABLE=off.')

const paper = ({ paper: by }: Machine): Finding =>
  by === 'poppler'
    ? fine('paper', 'Poppler makes pages of documents')
    : suspect('paper', 'Poppler is not installed or not used; pdf.js makes pages instead, more slowly', setUp)

const voices = async (): Promise<Finding> =>
  (await findProgram('espeak-ng', process.env['PATH'] ?? '')) === undefined
    ? suspect(
        'voices',
        'espeak-ng is not installed: French, Spanish, Italian and other languages than English and German are spoken only by providers',
        process.platform === 'darwin' ? 'brew install espeak-ng' : 'apt install espeak-ng',
      )
    : fine('voices', 'espeak-ng is there for languages without an embedded voice')

/** Native npm packages of which each serves only one feature. */
const browsers = (): Finding[] => {
  try {
    createRequire(import.meta.url).resolve('node-datachannel')
    return []
  } catch {
    return [suspect('browser phones', 'node-datachannel is not installed: SIP phones in browsers (WebRTC) have no sound', 'npm ci')]
  }
}
