import { words } from '#words/languages.ts'
import type { NotificationType } from './use-places.ts'

/** What is told, where the direction says something. */
type Told = Record<NotificationType, (direction: string) => string>

const toldInEnglish: Told = {
  VOICEMAIL: () => 'Voicemail',
  FAX: (direction) => `Fax (${direction})`,
  CALL: () => 'Missed call',
  SMS: (direction) => `SMS (${direction})`,
}

const toldInGerman: Told = {
  VOICEMAIL: () => 'Mailbox',
  FAX: (direction) => `Fax (${direction})`,
  CALL: () => 'Verpasster Anruf',
  SMS: (direction) => `SMS (${direction})`,
}

export const text = words({
  en: {
    title: 'Notifications',
    lead: 'Who is told by email or SMS about messages and missed calls.',
    add: 'Add notification',
    addTitle: 'New notification',
    about: 'About',
    endpoint: 'Where',
    direction: 'When',
    via: 'How',
    recipient: 'To whom',
    types: { VOICEMAIL: 'Voicemail', FAX: 'Fax', CALL: 'Missed call', SMS: 'SMS' },
    told: toldInEnglish,
    ways: { EMAIL: 'Email', SMS: 'SMS' },
    directions: { INCOMING: 'received', OUTGOING: 'sent', MISSED_INCOMING: 'missed', ALL: 'both' },
    mail: 'Email address',
    number: 'Phone number',
    nothingThere: 'This user has nothing that could tell it.',
    deleteTitle: 'No longer tell about it?',
    deleteBody: (recipient: string) => `${recipient} hears no more of it.`,
    deleteConfirm: 'Delete notification',
    empty: 'No notifications yet',
    emptyHint: 'Add one, for example an email for every voicemail or missed call.',
  },
  de: {
    title: 'Benachrichtigungen',
    lead: 'Wer per E-Mail oder SMS von Nachrichten und verpassten Anrufen erfährt.',
    add: 'Benachrichtigung hinzufügen',
    addTitle: 'Neue Benachrichtigung',
    about: 'Worüber',
    endpoint: 'Wo',
    direction: 'Wann',
    via: 'Wie',
    recipient: 'An wen',
    types: { VOICEMAIL: 'Mailbox', FAX: 'Fax', CALL: 'Verpasst', SMS: 'SMS' },
    told: toldInGerman,
    ways: { EMAIL: 'E-Mail', SMS: 'SMS' },
    directions: { INCOMING: 'empfangen', OUTGOING: 'gesendet', MISSED_INCOMING: 'verpasst', ALL: 'beides' },
    mail: 'E-Mail-Adresse',
    number: 'Rufnummer',
    nothingThere: 'Dieser Nutzer hat nichts, wo das vorkommen könnte.',
    deleteTitle: 'Nicht mehr benachrichtigen?',
    deleteBody: (recipient: string) => `${recipient} erfährt nichts mehr davon.`,
    deleteConfirm: 'Benachrichtigung löschen',
    empty: 'Noch keine Benachrichtigungen',
    emptyHint: 'Füge eine hinzu, zum Beispiel eine E-Mail für jede Nachricht auf der Mailbox oder jeden verpassten Anruf.',
  },
})
