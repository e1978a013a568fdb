import { words } from '#words/languages.ts'

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
    dayLimit: 'Limit of the day',
    dayLimitHint:
      'When it is reached, nothing goes out any more that costs; emergency calls always do. Administrators are told at 50, 80 and 100 percent.',
    changeDayLimit: 'Change limit',
    perDay: 'In a day',
    perDayHint: (most: string) => `Calls, faxes and messages together. Your operator allows ${most}; empty: just that.`,
    usedToday: 'Used today',
    resetsAt: 'Starts again',
    paidCalls: 'Paid calls at the same time',
    running: (now: number, most: number) => `${now} of ${most} run now`,
    openedDestinations: 'Destinations of risk that are open',
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
    dayLimit: 'Tageslimit',
    dayLimitHint:
      'Ist es erreicht, geht nichts mehr hinaus, was etwas kostet; Notrufe gehen immer. Administratoren erfahren es bei 50, 80 und 100 Prozent.',
    changeDayLimit: 'Limit ändern',
    perDay: 'An einem Tag',
    perDayHint: (most: string) => `Anrufe, Faxe und SMS zusammen. Dein Betreiber erlaubt ${most}; leer: genau das.`,
    usedToday: 'Heute verbraucht',
    resetsAt: 'Beginnt von vorn',
    paidCalls: 'Bezahlte Anrufe gleichzeitig',
    running: (now: number, most: number) => `${now} von ${most} laufen gerade`,
    openedDestinations: 'Freigegebene riskante Ziele',
    ledger: 'Buchungen',
    at: 'Wann',
    reason: 'Wofür',
    amount: 'Betrag',
    reasons: reasonsInGerman,
    empty: 'Noch keine Buchung',
    emptyHint: 'Hier stehen Zahlungen und alles, was Geld kostet.',
  },
})
