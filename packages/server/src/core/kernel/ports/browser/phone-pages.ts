/** An open page of the console that can ring, as its user sees it. */
export interface PageView {
  id: string
  since: number
  visible: boolean
  /** What the browser calls itself. */
  program: string
}

/** Where the phones of users in their browsers are open. */
export interface PhonePages {
  /** At all processes. */
  views(accountId: string, deviceId: string): PageView[]
}
