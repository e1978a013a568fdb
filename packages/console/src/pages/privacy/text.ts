import { words } from '#words/languages.ts'

export const text = words({
  en: {
    title: 'Privacy',
    lead: 'Take your data along, and erase what is stored about people.',
    operatorLead: 'Exports and erasures of all accounts. You start them on the page of an account.',
    ownData: 'Your data',
    ownDataHint: 'Everything that is stored about you: profile, devices, calls, recordings, messages, contacts.',
    number: 'A caller',
    numberHint: 'Someone who called and is neither a user nor a contact asks for their data, or wants it erased.',
    phoneNumber: 'Phone number',
    numberWrong: 'Write the number with its country code, such as +49 30 23125001.',
    account: 'Your account',
    accountHint: 'Everything of the account. Erasing closes it.',
    yourAccount: 'your account',
  },
  de: {
    title: 'Datenschutz',
    lead: 'Nimm deine Daten mit, und lösche, was über Menschen gespeichert ist.',
    operatorLead: 'Exporte und Löschungen aller Konten. Du beginnst sie auf der Seite eines Kontos.',
    ownData: 'Deine Daten',
    ownDataHint: 'Alles, was über dich gespeichert ist: Profil, Geräte, Anrufe, Aufnahmen, Nachrichten, Kontakte.',
    number: 'Ein Anrufer',
    numberHint: 'Jemand, der angerufen hat und weder Nutzer noch Kontakt ist, möchte seine Daten oder deren Löschung.',
    phoneNumber: 'Rufnummer',
    numberWrong: 'Schreibe die Nummer mit Landesvorwahl, zum Beispiel +49 30 23125001.',
    account: 'Dein Konto',
    accountHint: 'Alles aus dem Konto. Beim Löschen wird es geschlossen.',
    yourAccount: 'Dein Konto',
  },
})
