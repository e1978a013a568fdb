export interface Mail {
  to: string
  subject: string
  text: string
}

export interface Mailer {
  /** Resolves when the mail has been handed over; rejects when it should be tried again. */
  send(mail: Mail): Promise<void>
}
