import { words } from '#words/languages.ts'

/** Texts shared by the limits of one account and those for all. */
export const text = words({
  en: {
    title: 'Limits against fraud',
    hint: 'The most a stolen phone can cost. Emergency calls are never blocked.',
    titleForAll: 'Limits for all accounts',
    hintForAll: 'They apply unless an account has its own.',
    change: 'Change limits',
    perDay: 'Per day',
    perDayHint: 'Maximum cost of calls, faxes and messages from midnight to midnight (UTC). Empty: same as for all accounts.',
    perDayHintForAll: 'Maximum cost of an account’s calls, faxes and messages from midnight to midnight (UTC)',
    usedToday: 'Used today',
    used: (used: string, most: string) => `${used} of ${most}`,
    ownPerDay: 'The customer’s own limit',
    paidCalls: 'Simultaneous paid calls',
    paidCallsHint: 'Empty: same as for all accounts',
    running: (now: number, max: number) => `${now} of ${max} in progress`,
    opened: 'Unblocked high-risk destinations',
    openedHint:
      'Countries (CU), number prefixes (8816) and unlisted short numbers (DE: for all, DE:33), separated by commas. Ordinary numbers in the European Union and a few other countries are always allowed.',
    nothing: 'None',
  },
  de: {
    title: 'Limits gegen Betrug',
    hint: 'Was ein gestohlenes Telefon höchstens kosten kann. Notrufe werden nie gesperrt.',
    titleForAll: 'Limits für alle Konten',
    hintForAll: 'Sie gelten, wenn ein Konto keine eigenen hat.',
    change: 'Limits ändern',
    perDay: 'Pro Tag',
    perDayHint: 'Was Anrufe, Faxe und SMS von Mitternacht bis Mitternacht (UTC) höchstens kosten dürfen. Leer: wie für alle Konten.',
    perDayHintForAll: 'Was Anrufe, Faxe und SMS eines Kontos von Mitternacht bis Mitternacht (UTC) höchstens kosten dürfen',
    usedToday: 'Heute verbraucht',
    used: (used: string, most: string) => `${used} von ${most}`,
    ownPerDay: 'Eigenes Limit des Kunden',
    paidCalls: 'Gleichzeitige kostenpflichtige Anrufe',
    paidCallsHint: 'Leer: wie für alle Konten',
    running: (now: number, max: number) => `${now} von ${max} laufen gerade`,
    opened: 'Freigegebene riskante Ziele',
    openedHint:
      'Länder (CU), Vorwahlen (8816) und unbekannte Kurzrufnummern (DE: für alle, DE:33), durch Kommas getrennt. Gewöhnliche Nummern in der Europäischen Union und einigen weiteren Ländern sind immer erlaubt.',
    nothing: 'Keine',
  },
})
