import type { OutputOf } from '#api/use-service.ts'

export type Version = OutputOf<'listAssistantVersions'>['items'][number]
export type Rollout = OutputOf<'getRollout'>

/** Versions by their number, or what is being written. */
export type Pair = { from: number | 'draft'; to: number | 'draft' }
