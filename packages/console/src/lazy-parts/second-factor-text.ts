import { words } from '../words/languages.ts'

export const text = words({
  en: {
    scan: 'Scan this with an authenticator app on your phone.',
    qrLabel: 'QR code for the authenticator app',
    byHand: 'Or enter this key by hand',
    appCode: 'Code that the app shows',
    confirm: 'Confirm',
    codesTitle: 'Recovery codes',
    codesLead:
      'If you do not have your phone, each of these codes lets you log in once. Print them or keep them in a safe place: they are shown only now.',
    copyCodes: 'Copy all',
    copied: 'Copied',
    kept: 'I have saved them',
    usePasskey: 'Use a passkey',
    noPasskey: 'No passkey received: the request was cancelled, took too long, or there is no matching passkey.',
    again: 'Confirm that it’s you',
    againHint: 'Your last login was more than ten minutes ago.',
    password: 'Password',
    code: 'Code from the app, or a recovery code',
    goOn: 'Continue',
  },
  de: {
    scan: 'Scanne das mit einer Authenticator-App auf deinem Telefon.',
    qrLabel: 'QR-Code für die Authenticator-App',
    byHand: 'Oder gib diesen Schlüssel von Hand ein',
    appCode: 'Code, den die App zeigt',
    confirm: 'Bestätigen',
    codesTitle: 'Wiederherstellungscodes',
    codesLead:
      'Hast du dein Telefon nicht zur Hand, kannst du dich mit jedem dieser Codes einmal anmelden. Druck sie aus oder bewahre sie sicher auf: Sie werden nur jetzt angezeigt.',
    copyCodes: 'Alle kopieren',
    copied: 'Kopiert',
    kept: 'Ich habe sie gespeichert',
    usePasskey: 'Passkey verwenden',
    noPasskey: 'Kein Passkey erhalten: Die Anfrage wurde abgebrochen, hat zu lange gedauert, oder es gibt keinen passenden Passkey.',
    again: 'Bestätige, dass du es bist',
    againHint: 'Deine letzte Anmeldung liegt mehr als zehn Minuten zurück.',
    password: 'Passwort',
    code: 'Code aus der App oder ein Wiederherstellungscode',
    goOn: 'Weiter',
  },
})
