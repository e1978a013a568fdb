/** Which phone line of which user, as the service's paths name it. */
export interface LineId {
  userId: string
  phonelineId: string
}
