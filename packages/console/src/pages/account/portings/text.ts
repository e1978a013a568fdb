import { words } from '#words/languages.ts'
import type { PortingStatus, StepName } from './porting-track.ts'

const stepsInEnglish: Record<StepName, string> = {
  form: 'Signed form',
  mail: 'Consent requested',
  consent: 'Consent given',
  request: 'Request sent',
  date: 'Date agreed',
  switching: 'Switchover',
  complete: 'Complete',
}

const stepsInGerman: Record<StepName, string> = {
  form: 'Unterschrift',
  mail: 'Einwilligung angefordert',
  consent: 'Eingewilligt',
  request: 'Anfrage gesendet',
  date: 'Termin steht',
  switching: 'Umschaltung',
  complete: 'Abgeschlossen',
}

const statesInEnglish: Record<PortingStatus, string> = {
  100: 'Signed form missing',
  150: 'Consent link is being sent',
  160: 'Waiting for consent',
  170: 'Consent given',
  200: 'Form sent to the provider',
  250: 'Request sent',
  251: 'Provider not reachable',
  252: 'Rejected by the provider',
  400: 'Date agreed',
  450: 'Switching over',
  451: 'Switchover failed',
  500: 'Complete',
  600: 'Cancelled',
}

const statesInGerman: Record<PortingStatus, string> = {
  100: 'Unterschrift fehlt',
  150: 'Einwilligungslink wird gesendet',
  160: 'Wartet auf Einwilligung',
  170: 'Einwilligung liegt vor',
  200: 'Formular ist beim Anbieter',
  250: 'Anfrage gesendet',
  251: 'Anbieter nicht erreichbar',
  252: 'Vom Anbieter abgelehnt',
  400: 'Termin steht',
  450: 'Wird umgeschaltet',
  451: 'Umschaltung fehlgeschlagen',
  500: 'Abgeschlossen',
  600: 'Storniert',
}

interface When {
  /** The agreed day. */
  date: string
  /** The day before it. */
  eve: string
  /** Expiry of the link mailed to the holder. */
  linkUntil: string | undefined
}

/** Next step and deadline. */
const nextInEnglish: Record<PortingStatus, (when: When) => string> = {
  100: () =>
    'The account holder signs the porting form and sends it to your operator, who passes it on. There is no deadline; nothing happens until then.',
  150: () =>
    'The account holder gets an email with a link to give consent. If an earlier link has expired, your operator has to send a new one.',
  160: ({ linkUntil }) =>
    `The account holder opens the link in the email and gives consent.${linkUntil === undefined ? '' : ` The link works until ${linkUntil}.`} Then the request is sent.`,
  170: () => 'The request is now being sent to the current provider.',
  200: () => 'The current provider replies on paper. Your operator enters the agreed date here.',
  250: () => 'The current provider accepts and names a date, or rejects the request. The date is usually at least 5 working days ahead.',
  251: () => 'The request is repeated automatically. If the provider does not reply, your operator continues with the signed form.',
  252: () =>
    'Correct the account holder’s details so that they match the current provider’s records exactly. The holder is then asked for consent again.',
  400: ({ date, eve }) => `The data exchange starts on ${eve}. From ${date}, the numbers ring here. Until then nothing changes.`,
  450: ({ date }) => `The current provider releases the numbers on ${date}. As soon as that has happened, they ring here.`,
  451: ({ date }) => `The switchover planned for ${date} failed. Your operator repeats it with the current provider.`,
  500: () => 'The numbers ring here. Assign them on the numbers page.',
  600: () => 'The numbers stay where they are.',
}

const nextInGerman: Record<PortingStatus, (when: When) => string> = {
  100: () =>
    'Der Inhaber unterschreibt das Portierungsformular und schickt es an deinen Betreiber, der es weitergibt. Eine Frist gibt es nicht; bis dahin passiert nichts.',
  150: () =>
    'Der Inhaber bekommt eine E-Mail mit einem Link zum Einwilligen. Ist ein früherer Link ungenutzt abgelaufen, muss dein Betreiber einen neuen senden.',
  160: ({ linkUntil }) =>
    `Der Inhaber öffnet den Link in der E-Mail und willigt ein.${linkUntil === undefined ? '' : ` Der Link gilt bis ${linkUntil}.`} Sobald er eingewilligt hat, geht die Anfrage hinaus.`,
  170: () => 'Die Anfrage geht jetzt an den bisherigen Anbieter.',
  200: () => 'Der bisherige Anbieter antwortet auf Papier. Dein Betreiber trägt den vereinbarten Termin hier ein.',
  250: () =>
    'Der bisherige Anbieter stimmt zu und nennt einen Termin, oder er lehnt ab. Der Termin liegt meist mindestens 5 Werktage in der Zukunft.',
  251: () =>
    'Die Anfrage wird automatisch wiederholt. Antwortet der Anbieter nicht, macht dein Betreiber mit dem unterschriebenen Formular weiter.',
  252: () =>
    'Korrigiere die Daten des Inhabers, sodass sie genau mit denen beim bisherigen Anbieter übereinstimmen. Danach wird er erneut um Einwilligung gebeten.',
  400: ({ date, eve }) => `Der Datenaustausch beginnt am ${eve}. Ab ${date} klingeln die Rufnummern hier. Bis dahin ändert sich nichts.`,
  450: ({ date }) => `Der bisherige Anbieter gibt die Rufnummern am ${date} frei. Sobald er das getan hat, klingeln sie hier.`,
  451: ({ date }) => `Die für ${date} geplante Umschaltung ist fehlgeschlagen. Dein Betreiber wiederholt sie mit dem bisherigen Anbieter.`,
  500: () => 'Die Rufnummern klingeln hier. Weise sie auf der Seite „Rufnummern“ zu.',
  600: () => 'Die Rufnummern bleiben, wo sie sind.',
}

export const text = words({
  en: {
    title: 'Portings',
    lead: 'Bring your numbers over from another provider.',
    start: 'Port numbers',
    startTitle: 'Port numbers',
    started: 'Porting started.',
    way: (numbers: string) => `Progress of ${numbers}`,
    andMore: (number: string, more: number) => `${number} and ${more} more`,
    steps: stepsInEnglish,
    states: statesInEnglish,
    next: nextInEnglish,
    whatNext: 'Next step',
    carrierSaid: 'Reply of the current provider',
    cancelAsked: 'Withdrawal requested',
    cancelNext:
      'You have withdrawn this porting, and the current provider has to agree. If it does, the numbers stay there; otherwise the porting continues.',
    correctionAsked: 'Change requested',
    correctionNext:
      'You have changed the details. As soon as the current provider has released the old agreement, the account holder is asked for consent again.',
    noDate: 'no date yet',
    correct: 'Correct details',
    change: 'Change agreement',
    correctTitle: 'Correct details',
    correctHint: 'The account holder is asked for consent again, and the current provider gets the new details.',
    agreedHint: 'The agreement is replaced by a new one as soon as the current provider agrees. Then the account holder is asked again.',
    corrected: 'Corrected.',
    revoke: 'Withdraw',
    revokeTitle: 'Withdraw this porting?',
    revokeBody: 'The numbers stay with the current provider.',
    revokeBinding: 'The current provider already has the request and must confirm the withdrawal. Until then the status stays as it is.',
    revokeConfirm: 'Withdraw porting',
    revoked: 'Porting withdrawn.',
    revokeAsked: 'The current provider has been asked to confirm the withdrawal.',
    finished: 'Finished',
    numbers: 'Numbers',
    numbersHint: 'Press Enter after each one. They must belong to one contract.',
    state: 'Status',
    date: 'Date',
    carrier: 'Current provider',
    carrierHint: 'The provider’s code, if you know it. Without it, you need a signed form.',
    wishedDate: 'Preferred date',
    wishedHint: 'The current provider may set a later one.',
    email: 'Account holder’s email',
    emailHint: 'A link to give consent is sent there.',
    holder: 'Account holder',
    holderHint: 'Exactly as on the current provider’s invoices.',
    fromAddress: 'Use a saved address',
    name: 'Name',
    street: 'Street',
    houseNumber: 'House number',
    postcode: 'Postcode',
    city: 'City',
    country: 'Country',
    empty: 'No portings yet',
    emptyBody: 'Your numbers keep ringing at your current provider until the day of the switchover.',
  },
  de: {
    title: 'Portierungen',
    lead: 'Bring deine Rufnummern von einem anderen Anbieter mit.',
    start: 'Rufnummern mitbringen',
    startTitle: 'Rufnummern mitbringen',
    started: 'Portierung gestartet.',
    way: (numbers: string) => `Fortschritt von ${numbers}`,
    andMore: (number: string, more: number) => `${number} und ${more} weitere`,
    steps: stepsInGerman,
    states: statesInGerman,
    next: nextInGerman,
    whatNext: 'Nächster Schritt',
    carrierSaid: 'Antwort des bisherigen Anbieters',
    cancelAsked: 'Stornierung beantragt',
    cancelNext:
      'Du hast diese Portierung storniert, und der bisherige Anbieter muss zustimmen. Stimmt er zu, bleiben die Rufnummern dort; sonst geht die Portierung weiter.',
    correctionAsked: 'Änderung beantragt',
    correctionNext:
      'Du hast die Daten geändert. Sobald der bisherige Anbieter die alte Vereinbarung aufgehoben hat, wird der Inhaber erneut um Einwilligung gebeten.',
    noDate: 'noch kein Termin',
    correct: 'Daten korrigieren',
    change: 'Vereinbarung ändern',
    correctTitle: 'Daten korrigieren',
    correctHint: 'Der Inhaber wird erneut um Einwilligung gebeten, und der bisherige Anbieter bekommt die neuen Daten.',
    agreedHint:
      'Die Vereinbarung wird durch eine neue ersetzt, sobald der bisherige Anbieter zustimmt. Danach wird der Inhaber erneut gefragt.',
    corrected: 'Korrigiert.',
    revoke: 'Portierung stornieren',
    revokeTitle: 'Diese Portierung stornieren?',
    revokeBody: 'Die Rufnummern bleiben beim bisherigen Anbieter.',
    revokeBinding:
      'Die Anfrage liegt schon beim bisherigen Anbieter, der die Stornierung bestätigen muss. Bis dahin bleibt der Status unverändert.',
    revokeConfirm: 'Portierung stornieren',
    revoked: 'Portierung storniert.',
    revokeAsked: 'Die Stornierung ist beim bisherigen Anbieter beantragt.',
    finished: 'Abgeschlossen',
    numbers: 'Rufnummern',
    numbersHint: 'Nach jeder die Eingabetaste drücken. Alle müssen zum selben Vertrag gehören.',
    state: 'Status',
    date: 'Termin',
    carrier: 'Bisheriger Anbieter',
    carrierHint: 'Kennung des Anbieters, falls bekannt. Ohne sie brauchst du ein unterschriebenes Formular.',
    wishedDate: 'Wunschtermin',
    wishedHint: 'Der bisherige Anbieter kann einen späteren nennen.',
    email: 'E-Mail des Inhabers',
    emailHint: 'Dorthin geht ein Link zum Einwilligen.',
    holder: 'Inhaber',
    holderHint: 'Genau so, wie er auf den Rechnungen des bisherigen Anbieters steht.',
    fromAddress: 'Gespeicherte Adresse verwenden',
    name: 'Name',
    street: 'Straße',
    houseNumber: 'Hausnummer',
    postcode: 'Postleitzahl',
    city: 'Ort',
    country: 'Land',
    empty: 'Noch keine Portierungen',
    emptyBody: 'Deine Rufnummern klingeln bis zum Tag der Umschaltung beim bisherigen Anbieter weiter.',
  },
})
