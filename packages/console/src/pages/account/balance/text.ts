import { words } from '../../../words/languages.ts'

/** What the service books under these names. */
const reasonsInEnglish: Record<string, string> = {
  call: 'Call',
  fax: 'Fax',
  sms: 'SMS',
  'SIM order': 'SIM card',
  'start money of the demo': 'Start money of the demo',
}
const reasonsInGerman: Record<string, string> = {
  call: 'Anruf',
  fax: 'Fax',
  sms: 'SMS',
  'SIM order': 'SIM-Karte',
  'start money of the demo': 'Startguthaben der Demo',
}

export const text = words({
  en: {
    title: 'Balance',
    lead: 'What can be spent, and where it came from and went. Your operator books payments.',
    spendable: 'Can be spent',
    booked: 'Booked',
    reserved: 'Reserved for what is under way',
    creditLimit: 'Credit limit',
    ledger: 'Ledger',
    at: 'When',
    reason: 'What for',
    amount: 'Amount',
    reasons: reasonsInEnglish,
    empty: 'Nothing was booked yet',
    emptyHint: 'Payments and everything that costs money appear here.',
  },
  de: {
    title: 'Guthaben',
    lead: 'Was ausgegeben werden kann, woher es kam und wohin es ging. Zahlungen bucht dein Betreiber.',
    spendable: 'Verfügbar',
    booked: 'Gebucht',
    reserved: 'Reserviert für Laufendes',
    creditLimit: 'Kreditrahmen',
    ledger: 'Buchungen',
    at: 'Wann',
    reason: 'Wofür',
    amount: 'Betrag',
    reasons: reasonsInGerman,
    empty: 'Noch keine Buchung',
    emptyHint: 'Hier stehen Zahlungen und alles, was Geld kostet.',
  },
})
