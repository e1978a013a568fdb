import type { Settings } from '#settings/config.ts'

export interface Finding {
  /** What was looked at. */
  about: string
  state: 'fine' | 'doubtful' | 'broken'
  says: string
  /** What to do about it. */
  advice?: string
}

export interface Patient {
  settings: Settings
  /** A service of ours answers there, so its ports are taken, and rightly. */
  runsAt: string | undefined
  /** An endpoint that somebody asked about. */
  endpoint?: string | undefined
}

/** Looks at one thing, or at several of a kind. What it throws is a finding, too. */
export type Check = (patient: Patient) => Finding[] | Promise<Finding[]>

export const fine = (about: string, says: string): Finding => ({ about, state: 'fine', says })
export const doubtful = (about: string, says: string, advice: string): Finding => ({ about, state: 'doubtful', says, advice })
export const broken = (about: string, says: string, advice: string): Finding => ({ about, state: 'broken', says, advice })
