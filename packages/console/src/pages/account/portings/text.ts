import { words } from '#words/languages.ts'
import type { PortingStatus, StepName } from './porting-track.ts'

const stepsInEnglish: Record<StepName, string> = {
  form: 'Signed form',
  mail: 'Consent asked for',
  consent: 'Consent given',
  request: 'Carrier asked',
  date: 'Date agreed',
  switching: 'Switching',
  complete: 'Here',
}

const stepsInGerman: Record<StepName, string> = {
  form: 'Unterschrift',
  mail: 'Einwilligung erbeten',
  consent: 'Eingewilligt',
  request: 'Anbieter gefragt',
  date: 'Termin steht',
  switching: 'Umschaltung',
  complete: 'Angekommen',
}

const statesInEnglish: Record<PortingStatus, string> = {
  100: 'Signed form is missing',
  150: 'Consent link is being sent',
  160: 'Waiting for consent',
  170: 'Consent given',
  200: 'Form is with the carrier',
  250: 'Carrier was asked',
  251: 'Carrier could not be reached',
  252: 'Refused by the carrier',
  400: 'Date agreed',
  450: 'Being switched',
  451: 'Switching failed',
  500: 'Complete',
  600: 'Cancelled',
}

const statesInGerman: Record<PortingStatus, string> = {
  100: 'Unterschrift fehlt',
  150: 'Einwilligungslink wird gesendet',
  160: 'Wartet auf Einwilligung',
  170: 'Einwilligung liegt vor',
  200: 'Formular ist beim Anbieter',
  250: 'Anbieter ist gefragt',
  251: 'Anbieter nicht erreichbar',
  252: 'Vom Anbieter abgelehnt',
  400: 'Termin steht',
  450: 'Wird umgeschaltet',
  451: 'Umschaltung gescheitert',
  500: 'Abgeschlossen',
  600: 'Abgebrochen',
}

interface When {
  /** The agreed day. */
  date: string
  /** The day before it. */
  eve: string
  /** How long the link works that the holder was mailed. */
  linkUntil: string | undefined
}

/** What happens next, and by when. */
const nextInEnglish: Record<PortingStatus, (when: When) => string> = {
  100: () =>
    'The holder signs the porting form and sends it to your operator, who passes it on. There is no deadline; nothing happens until then.',
  150: () => 'The holder gets an email with a link to agree. If an earlier link ran out unused, your operator has to send a new one.',
  160: ({ linkUntil }) =>
    `The holder opens the link in the email and agrees.${linkUntil === undefined ? '' : ` The link works until ${linkUntil}.`} As soon as the holder has agreed, the request goes out.`,
  170: () => 'The request goes to the present carrier now.',
  200: () => 'The present carrier answers the form on paper. Your operator enters the agreed date here.',
  250: () => 'The present carrier agrees and names a date, or refuses. The date is usually at least 5 working days ahead.',
  251: () => 'The request is repeated by itself. If the carrier stays silent, your operator goes on with the signed form.',
  252: () => 'Correct the holder’s data, exactly as the present carrier has it. After that the holder is asked for consent again.',
  400: ({ date, eve }) => `The exchange of data begins on ${eve}. From ${date} on the numbers ring here. Until then nothing changes.`,
  450: ({ date }) => `The present carrier lets go on ${date}. As soon as it has, the numbers ring here.`,
  451: ({ date }) => `The switch planned for ${date} did not work. Your operator repeats it with the present carrier.`,
  500: () => 'The numbers ring here. Lead them somewhere on the page of numbers.',
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
    'Die Anfrage wird von selbst wiederholt. Schweigt der Anbieter weiter, macht dein Betreiber mit dem unterschriebenen Formular weiter.',
  252: () =>
    'Berichtige die Daten des Inhabers, genau so, wie sie beim bisherigen Anbieter stehen. Danach wird der Inhaber neu um Einwilligung gebeten.',
  400: ({ date, eve }) => `Der Datenaustausch beginnt am ${eve}. Ab ${date} klingeln die Rufnummern hier. Bis dahin ändert sich nichts.`,
  450: ({ date }) => `Der bisherige Anbieter gibt die Rufnummern am ${date} frei. Sobald er das getan hat, klingeln sie hier.`,
  451: ({ date }) => `Die für ${date} geplante Umschaltung hat nicht geklappt. Dein Betreiber wiederholt sie mit dem bisherigen Anbieter.`,
  500: () => 'Die Rufnummern klingeln hier. Wohin sie führen, legst du auf der Seite der Rufnummern fest.',
  600: () => 'Die Rufnummern bleiben, wo sie sind.',
}

export const text = words({
  en: {
    title: 'Portings',
    lead: 'Bring your numbers here from another carrier.',
    start: 'Bring numbers here',
    startTitle: 'Bring numbers here',
    started: 'Started.',
    way: (numbers: string) => `Way of ${numbers}`,
    andMore: (number: string, more: number) => `${number} and ${more} more`,
    steps: stepsInEnglish,
    states: statesInEnglish,
    next: nextInEnglish,
    whatNext: 'What happens next',
    carrierSaid: 'What the present carrier said',
    cancelAsked: 'Revocation asked for',
    cancelNext:
      'You have revoked this porting, and the present carrier has to agree to that. If it does, the numbers stay there; if it does not, the porting goes on.',
    correctionAsked: 'Change asked for',
    correctionNext:
      'You have changed the data. As soon as the present carrier has given the old agreement up, the holder is asked for consent again.',
    noDate: 'no date yet',
    correct: 'Correct the data',
    change: 'Change the agreement',
    correctTitle: 'Correct the data',
    correctHint: 'The holder is asked for consent again, and the present carrier gets the new data.',
    agreedHint:
      'The agreement is given up in favour of a new one as soon as the present carrier agrees to that. Then the holder is asked again.',
    corrected: 'Corrected.',
    revoke: 'Revoke',
    revokeTitle: 'Revoke this porting?',
    revokeBody: 'The numbers stay with the present carrier.',
    revokeBinding: 'It is with the present carrier already, who has to confirm this. Until then the state stays as it is.',
    revokeConfirm: 'Revoke porting',
    revoked: 'Revoked.',
    revokeAsked: 'The present carrier was asked to let go of it.',
    finished: 'Finished',
    numbers: 'Numbers',
    numbersHint: 'Press Enter after each one. They must be of one contract.',
    state: 'State',
    date: 'Date',
    carrier: 'Current provider',
    carrierHint: 'Its code, if you know it. Without, it goes by a signed form.',
    wishedDate: 'Preferred date',
    wishedHint: 'The present carrier may name a later one.',
    email: 'Email of the holder',
    emailHint: 'A link to agree is sent there.',
    holder: 'Holder',
    holderHint: 'Exactly as the present carrier has it on its bills.',
    fromAddress: 'Use a saved address',
    name: 'Name',
    street: 'Street',
    houseNumber: 'House number',
    postcode: 'Postcode',
    city: 'City',
    country: 'Country',
    empty: 'No porting yet',
    emptyBody: 'Your numbers stay where they are and ring there until the day on which they ring here.',
  },
  de: {
    title: 'Portierungen',
    lead: 'Bring deine Rufnummern von einem anderen Anbieter mit.',
    start: 'Rufnummern mitbringen',
    startTitle: 'Rufnummern mitbringen',
    started: 'Begonnen.',
    way: (numbers: string) => `Weg von ${numbers}`,
    andMore: (number: string, more: number) => `${number} und ${more} weitere`,
    steps: stepsInGerman,
    states: statesInGerman,
    next: nextInGerman,
    whatNext: 'Wie es weitergeht',
    carrierSaid: 'Was der bisherige Anbieter sagt',
    cancelAsked: 'Widerruf beantragt',
    cancelNext:
      'Du hast diese Portierung widerrufen, und der bisherige Anbieter muss dem zustimmen. Stimmt er zu, bleiben die Rufnummern dort; lehnt er ab, geht die Portierung weiter.',
    correctionAsked: 'Änderung beantragt',
    correctionNext:
      'Du hast die Daten geändert. Sobald der bisherige Anbieter die alte Vereinbarung aufgegeben hat, wird der Inhaber neu um Einwilligung gebeten.',
    noDate: 'noch kein Termin',
    correct: 'Daten berichtigen',
    change: 'Vereinbarung ändern',
    correctTitle: 'Daten berichtigen',
    correctHint: 'Der Inhaber wird neu um Einwilligung gebeten, und der bisherige Anbieter bekommt die neuen Daten.',
    agreedHint:
      'Die Vereinbarung wird zugunsten einer neuen aufgegeben, sobald der bisherige Anbieter dem zustimmt. Dann wird der Inhaber neu gefragt.',
    corrected: 'Berichtigt.',
    revoke: 'Widerrufen',
    revokeTitle: 'Diese Portierung widerrufen?',
    revokeBody: 'Die Rufnummern bleiben beim bisherigen Anbieter.',
    revokeBinding: 'Sie liegt schon beim bisherigen Anbieter, der das bestätigen muss. Bis dahin bleibt der Stand, wie er ist.',
    revokeConfirm: 'Portierung widerrufen',
    revoked: 'Widerrufen.',
    revokeAsked: 'Der bisherige Anbieter wurde gebeten, sie aufzugeben.',
    finished: 'Abgeschlossen',
    numbers: 'Rufnummern',
    numbersHint: 'Nach jeder die Eingabetaste drücken. Sie müssen zu einem Vertrag gehören.',
    state: 'Zustand',
    date: 'Termin',
    carrier: 'Bisheriger Anbieter',
    carrierHint: 'Seine Kennung, wenn du sie kennst. Ohne sie geht es mit unterschriebenem Formular.',
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
    empty: 'Noch keine Portierung',
    emptyBody: 'Deine Rufnummern bleiben, wo sie sind, und klingeln dort bis zu dem Tag, an dem sie hier klingeln.',
  },
})
