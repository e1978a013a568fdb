/** Which SMS line of which user, as the service's paths name it. */
export interface LineId {
  userId: string
  smsId: string
}
