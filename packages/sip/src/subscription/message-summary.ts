import type { EventPackage, Telling } from './event-package.ts'

/** RFC 3842. */
export const messageSummary: EventPackage = { name: 'message-summary', contentType: 'application/simple-message-summary' }

export interface MessageCounts {
  fresh: number
  heard: number
  /** Where messages are listened to, as a URI. */
  account: string
}

export const notifyMessages =
  ({ fresh, heard, account }: MessageCounts): Telling =>
  () =>
    [
      `Messages-Waiting: ${fresh > 0 ? 'yes' : 'no'}`,
      `Message-Account: ${account}`,
      // There are no urgent ones.
      `Voice-Message: ${fresh}/${heard} (0/0)`,
      '',
    ].join('\r\n')
