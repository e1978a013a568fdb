import type { NotificationType } from './use-places.ts'
import { words } from '#words/languages.ts'

/** Text per type and direction. */
type Told = Record<NotificationType, (direction: string) => string>

const toldInEnglish: Told = {
  VOICEMAIL: () => 'Voicemail',
  FAX: (direction) => `Fax (${direction})`,
  CALL: () => 'Missed call',
  SMS: (direction) => `SMS (${direction})`,
}

const toldInGerman: Told = {
  VOICEMAIL: () => 'Sprachnachricht',
  FAX: (direction) => `Fax (${direction})`,
  CALL: () => 'Verpasster Anruf',
  SMS: (direction) => `SMS (${direction})`,
}

export const text = words({
  en: {
    title: 'Notifications',
    lead: 'Who is notified of messages and missed calls by email or SMS.',
    add: 'Add notification',
    addTitle: 'New notification',
    about: 'Event',
    endpoint: 'Line',
    direction: 'When',
    via: 'By',
    recipient: 'Recipient',
    types: { VOICEMAIL: 'Voicemail', FAX: 'Fax', CALL: 'Missed call', SMS: 'SMS' },
    told: toldInEnglish,
    ways: { EMAIL: 'Email', SMS: 'SMS' },
    directions: { INCOMING: 'received', OUTGOING: 'sent', MISSED_INCOMING: 'missed', ALL: 'both' },
    mail: 'Email address',
    number: 'Phone number',
    nothingThere: 'This user has no line for this.',
    deleteTitle: 'Delete this notification?',
    deleteBody: (recipient: string) => `${recipient} will no longer be notified.`,
    deleteConfirm: 'Delete notification',
    empty: 'No notifications yet',
    emptyHint: 'Add one, for example an email for every voicemail or missed call.',
  },
  de: {
    title: 'Benachrichtigungen',
    lead: 'Wer per E-Mail oder SMS von Nachrichten und verpassten Anrufen erfährt.',
    add: 'Benachrichtigung hinzufügen',
    addTitle: 'Neue Benachrichtigung',
    about: 'Ereignis',
    endpoint: 'Anschluss',
    direction: 'Wann',
    via: 'Per',
    recipient: 'Empfänger',
    types: { VOICEMAIL: 'Sprachnachricht', FAX: 'Fax', CALL: 'Verpasster Anruf', SMS: 'SMS' },
    told: toldInGerman,
    ways: { EMAIL: 'E-Mail', SMS: 'SMS' },
    directions: { INCOMING: 'empfangen', OUTGOING: 'gesendet', MISSED_INCOMING: 'verpasst', ALL: 'beides' },
    mail: 'E-Mail-Adresse',
    number: 'Rufnummer',
    nothingThere: 'Dieser Nutzer hat keinen passenden Anschluss.',
    deleteTitle: 'Diese Benachrichtigung löschen?',
    deleteBody: (recipient: string) => `${recipient} wird nicht mehr benachrichtigt.`,
    deleteConfirm: 'Benachrichtigung löschen',
    empty: 'Noch keine Benachrichtigungen',
    emptyHint: 'Füge eine hinzu, zum Beispiel eine E-Mail für jede Sprachnachricht oder jeden verpassten Anruf.',
  },
})
