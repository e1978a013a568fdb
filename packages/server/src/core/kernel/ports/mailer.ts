export interface Mail {
  to: string
  subject: string
  text: string
  attachment?: Attachment
}

export interface Attachment {
  /** Letters, digits, dots and dashes. */
  name: string
  type: string
  content: Uint8Array
}

export interface Mailer {
  /** Resolves when the mail has been handed over; rejects when it should be tried again. */
  send(mail: Mail): Promise<void>
}
