/** Where a browser takes messages while no page is open, and the keys that only it and its user can read them with (RFC 8291). */
export interface PushAddress {
  endpoint: string
  /** Base64url. */
  p256dh: string
  auth: string
}

export interface PushMessage {
  text: string
  /** It is worth nothing after this time. */
  seconds: number
  /** A later one of the same topic takes its place, if it was not delivered yet. */
  topic: string
}

/** Messages to browsers, over the services of their makers. */
export interface PushMessages {
  /** By which browsers know who may write to them (RFC 8292); base64url. */
  key(): Promise<string>
  /** What a browser says of itself can be written to. */
  accepts(address: PushAddress): boolean
  /** `gone`: the browser takes no more messages there. */
  send(address: PushAddress, message: PushMessage): Promise<'sent' | 'gone' | 'failed'>
}
