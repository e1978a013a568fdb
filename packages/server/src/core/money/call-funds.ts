import type { Rate, Spare } from '#core/kernel/ports/store/money.ts'

/** This process's knowledge of a call's reservation. */
export interface CallFunds {
  /** One per paid leg. */
  legs: readonly Rate[]
  amount: number
  /** The limit for a single call; Infinity without one. */
  maxAmount: number
  leash: string | undefined
  spare: Spare | undefined
}
