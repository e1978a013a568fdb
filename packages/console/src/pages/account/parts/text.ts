import { words } from '#words/languages.ts'
import type { EndpointKind } from './endpoints.ts'

const kindsInEnglish: Record<EndpointKind, string> = {
  line: 'Phone line',
  group: 'Group',
  flow: 'Assistant',
  voicemail: 'Voicemail',
  fax: 'Fax line',
  sms: 'SMS',
}

const kindsInGerman: Record<EndpointKind, string> = {
  line: 'Anschluss',
  group: 'Gruppe',
  flow: 'Assistent',
  voicemail: 'Mailbox',
  fax: 'Faxanschluss',
  sms: 'SMS',
}

/** Texts shared by several account pages. */
export const text = words({
  en: {
    user: 'User',
    name: 'Name',
    edit: 'Edit',
    remove: 'Delete',
    add: 'Add',
    saved: 'Saved.',
    deleted: 'Deleted.',
    actionsFor: (name: string) => `Actions for ${name}`,
    numbers: 'Numbers',
    kinds: kindsInEnglish,
    deviceTypes: { REGISTER: 'SIP phone', MOBILE: 'Mobile phone (SIM)', EXTERNAL: 'External number', BROWSER: 'Browser' },
    findDevice: 'Find a device',
    ringing: (count: number, all: number) => `${count} of ${all} devices ring`,
    moreDevices: (count: number) => `${count} more: search by name.`,
    leadsTo: 'Assigned to',
    nowhere: 'Not assigned',
    which: 'Target',
    noneThere: 'Nothing to choose from.',
    incomingAddress: 'Address for incoming calls',
    outgoingAddress: 'Address for outgoing calls',
    addressHint: 'https://name:password@… is sent as HTTP Basic authentication.',
    stepStates: { done: 'done', now: 'now', ahead: 'to come', bad: 'failed' },
  },
  de: {
    user: 'Nutzer',
    name: 'Name',
    edit: 'Bearbeiten',
    remove: 'Löschen',
    add: 'Hinzufügen',
    saved: 'Gespeichert.',
    deleted: 'Gelöscht.',
    actionsFor: (name: string) => `Aktionen für ${name}`,
    numbers: 'Rufnummern',
    kinds: kindsInGerman,
    deviceTypes: { REGISTER: 'SIP-Telefon', MOBILE: 'Mobiltelefon (SIM)', EXTERNAL: 'Externe Nummer', BROWSER: 'Browser' },
    findDevice: 'Gerät suchen',
    ringing: (count: number, all: number) => `${count} von ${all} Geräten klingeln`,
    moreDevices: (count: number) => `${count} weitere: Such nach dem Namen.`,
    leadsTo: 'Zugewiesen an',
    nowhere: 'Nicht zugewiesen',
    which: 'Ziel',
    noneThere: 'Nichts zur Auswahl.',
    incomingAddress: 'Adresse für eingehende Anrufe',
    outgoingAddress: 'Adresse für ausgehende Anrufe',
    addressHint: 'https://name:passwort@… wird als HTTP-Basic-Anmeldung gesendet.',
    stepStates: { done: 'erledigt', now: 'jetzt', ahead: 'kommt noch', bad: 'fehlgeschlagen' },
  },
})
