import type { Rate, Spare } from '#core/kernel/ports/store/money.ts'

/** What this process knows of the reservation of a call. */
export interface CallFunds {
  /** One per paid leg. */
  legs: readonly Rate[]
  amount: number
  /** The limit for a single call; Infinity without one. */
  maxAmount: number
  leash: string | undefined
  spare: Spare | undefined
}
