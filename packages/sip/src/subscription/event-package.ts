/** What can be subscribed to (RFC 6665 §5). */
export interface EventPackage {
  readonly name: string
  readonly contentType: string
}

/** The state as it is written, by the number of this document in its subscription. */
export type Telling = (version: number) => string
