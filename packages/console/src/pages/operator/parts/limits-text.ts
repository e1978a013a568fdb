import { words } from '#words/languages.ts'

/** What both pages say where limits are shown and set: that of one account, and that for all. */
export const text = words({
  en: {
    title: 'Limits against fraud',
    hint: 'What a stolen phone can cost at worst. Emergency calls are never refused.',
    titleForAll: 'Limits of all accounts',
    hintForAll: 'They hold where nothing else was set for an account.',
    change: 'Change limits',
    perDay: 'In a day',
    perDayHint: 'The most that calls, faxes and messages may cost from midnight to midnight (UTC). Empty: as for all accounts.',
    perDayHintForAll: 'The most that calls, faxes and messages of an account may cost from midnight to midnight (UTC)',
    usedToday: 'Used today',
    used: (used: string, most: string) => `${used} of ${most}`,
    ownPerDay: 'The customer’s own limit',
    paidCalls: 'Paid calls at the same time',
    paidCallsHint: 'Empty: as for all accounts',
    running: (now: number, most: number) => `${now} of ${most} run now`,
    opened: 'Open destinations of risk',
    openedHint:
      'Countries (CU) and beginnings of numbers (8816), separated by commas. The European Union and a few more are always open, with their ordinary numbers only.',
    nothing: 'None',
  },
  de: {
    title: 'Limits gegen Betrug',
    hint: 'Was ein gestohlenes Telefon höchstens kosten kann. Notrufe werden nie abgewiesen.',
    titleForAll: 'Limits aller Konten',
    hintForAll: 'Sie gelten, wo für ein Konto nichts anderes festgelegt ist.',
    change: 'Limits ändern',
    perDay: 'An einem Tag',
    perDayHint: 'Was Anrufe, Faxe und SMS von Mitternacht bis Mitternacht (UTC) höchstens kosten dürfen. Leer: wie für alle Konten.',
    perDayHintForAll: 'Was Anrufe, Faxe und SMS eines Kontos von Mitternacht bis Mitternacht (UTC) höchstens kosten dürfen',
    usedToday: 'Heute verbraucht',
    used: (used: string, most: string) => `${used} von ${most}`,
    ownPerDay: 'Eigenes Limit des Kunden',
    paidCalls: 'Bezahlte Anrufe gleichzeitig',
    paidCallsHint: 'Leer: wie für alle Konten',
    running: (now: number, most: number) => `${now} von ${most} laufen gerade`,
    opened: 'Freigegebene riskante Ziele',
    openedHint:
      'Länder (CU) und Anfänge von Nummern (8816), durch Kommas getrennt. Die Europäische Union und einige weitere sind immer frei, aber nur mit ihren gewöhnlichen Nummern.',
    nothing: 'Keine',
  },
})
