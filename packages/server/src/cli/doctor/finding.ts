import type { FoundInstance } from '../connection/instance.ts'
import type { Settings } from '#settings/config.ts'

export interface Finding {
  /** What was checked. */
  about: string
  state: 'fine' | 'doubtful' | 'broken'
  says: string
  /** What to do about it. */
  advice?: string
}

export interface DoctorContext {
  settings: Settings
  /** Offhook itself answers there. */
  runsAt: string | undefined
  /** What a service left in the data folder. */
  instance?: FoundInstance | undefined
  /** The endpoint that was named on the command line. */
  endpoint?: string | undefined
}

/** Checks one thing, or several of a kind. What it throws is a finding, too. */
export type Check = (context: DoctorContext) => Finding[] | Promise<Finding[]>

export const fine = (about: string, says: string): Finding => ({ about, state: 'fine', says })
export const suspect = (about: string, says: string, advice: string): Finding => ({ about, state: 'doubtful', says, advice })
export const broken = (about: string, says: string, advice: string): Finding => ({ about, state: 'broken', says, advice })
