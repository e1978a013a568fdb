import type { FoundInstance } from '../connection/instance.ts'
import type { Settings } from '#settings/config.ts'

export interface Finding {
  /** Subject of the check. */
  about: string
  state: 'fine' | 'doubtful' | 'broken'
  says: string
  /** How to fix it. */
  advice?: string
}

export interface DoctorContext {
  settings: Settings
  /** Address at which Offhook itself answers. */
  runsAt: string | undefined
  /** Notes of a service in the data folder. */
  instance?: FoundInstance | undefined
  /** Endpoint from the command line. */
  endpoint?: string | undefined
}

/** Checks one thing, or several of a kind. A thrown error becomes a finding, too. */
export type Check = (context: DoctorContext) => Finding[] | Promise<Finding[]>

export const fine = (about: string, says: string): Finding => ({ about, state: 'fine', says })
export const suspect = (about: string, says: string, advice: string): Finding => ({ about, state: 'doubtful', says, advice })
export const broken = (about: string, says: string, advice: string): Finding => ({ about, state: 'broken', says, advice })
