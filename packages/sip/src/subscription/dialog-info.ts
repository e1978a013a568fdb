import type { EventPackage, Telling } from './event-package.ts'

/** RFC 4235. */
export const dialogPackage: EventPackage = { name: 'dialog', contentType: 'application/dialog-info+xml' }

export interface WatchedDialog {
  id: string
  direction: 'initiator' | 'recipient'
  state: 'early' | 'confirmed'
}

/** Phones that track dialogs one by one put their lamp out only when a NOTIFY shows the dialog as terminated. */
const idle = '<dialog id="none"><state>terminated</state></dialog>'

/** Full state each time: a phone that missed one document needs no other. The far end of a dialog is not shown. */
export const notifyDialogs =
  (entity: string, dialogs: readonly WatchedDialog[]): Telling =>
  (version) => {
    const each = dialogs.map(
      ({ id, direction, state }) => `<dialog id="${escaped(id)}" direction="${direction}"><state>${state}</state></dialog>`,
    )
    return [
      '<?xml version="1.0" encoding="UTF-8"?>',
      `<dialog-info xmlns="urn:ietf:params:xml:ns:dialog-info" version="${version}" state="full" entity="${escaped(entity)}">`,
      ...(each.length > 0 ? each : [idle]),
      '</dialog-info>',
      '',
    ].join('\r\n')
  }

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => entities[character] ?? '')
