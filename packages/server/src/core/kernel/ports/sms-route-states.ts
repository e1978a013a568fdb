/** Whether a route to other networks works at this moment. */
export interface SmsRouteState {
  usable: boolean
  /** Why not; empty when it is. */
  reason: string
  /** When this last changed. */
  since: number
}

/** For the operator. */
export interface SmsRouteView extends SmsRouteState {
  name: string
}
