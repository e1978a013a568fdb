import { words } from '#words/languages.ts'

/** Texts of pages behind mailed links. */
export const text = words({
  en: {
    welcome: 'Welcome',
    invited: (company: string) => `You have been invited to the phone system of ${company}. Enter your name and choose a password.`,
    invitation: 'Invitation',
    firstname: 'First name',
    lastname: 'Last name',
    email: 'Email',
    password: 'Password',
    passwordHint: 'At least twelve characters. A sentence is easy to remember.',
    begin: 'Get started',
    invalidTitle: 'This invitation cannot be used',
    toLogin: 'Go to login',
    newEmail: 'New email address',
    newEmailLead: 'From now on you log in with this address.',
    confirm: 'Confirm address',
    confirmed: (email: string) => `Done. You now log in as ${email}.`,
  },
  de: {
    welcome: 'Willkommen',
    invited: (company: string) => `Du bist zur Telefonanlage von ${company} eingeladen. Gib deinen Namen ein und wähle ein Passwort.`,
    invitation: 'Einladung',
    firstname: 'Vorname',
    lastname: 'Nachname',
    email: 'E-Mail',
    password: 'Passwort',
    passwordHint: 'Mindestens zwölf Zeichen. Einen Satz merkt man sich leicht.',
    begin: 'Loslegen',
    invalidTitle: 'Diese Einladung gilt nicht mehr',
    toLogin: 'Zur Anmeldung',
    newEmail: 'Neue E-Mail-Adresse',
    newEmailLead: 'Ab jetzt meldest du dich mit dieser Adresse an.',
    confirm: 'Adresse bestätigen',
    confirmed: (email: string) => `Erledigt. Du meldest dich ab jetzt als ${email} an.`,
  },
})
