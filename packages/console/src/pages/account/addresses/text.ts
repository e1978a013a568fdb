import { words } from '#words/languages.ts'

export const text = words({
  en: {
    title: 'Addresses',
    lead: 'Where you are. Landline numbers need an address in their area, and emergency calls are sent there.',
    address: 'Address',
    country: 'Country',
    numbers: 'Numbers that need it',
    noNumbers: 'No number needs this address.',
    change: 'Change',
    changeTitle: 'Change the address',
    warning:
      'Numbers of another area are switched off when you move away from it. Where that is not certain, they are checked within 14 days.',
    postcode: 'Postcode',
    city: 'City',
    state: 'State or region',
    street: 'Street',
    number: 'House number',
    address1: 'Addition',
    saved: 'The address is changed.',
    confirmTitle: 'Change the address?',
    confirmBody: (count: number) =>
      count === 1
        ? 'One number belongs to this address. It is checked whether it may stay.'
        : `${count} numbers belong to this address. It is checked whether they may stay.`,
    confirm: 'Change address',
    empty: 'No address yet',
    emptyBody: 'The operator of this installation enters the first address of an account.',
  },
  de: {
    title: 'Adressen',
    lead: 'Wo du bist. Festnetznummern brauchen eine Adresse in ihrem Ortsnetz, und Notrufe kommen dorthin.',
    address: 'Adresse',
    country: 'Land',
    numbers: 'Nummern, die sie brauchen',
    noNumbers: 'Keine Nummer braucht diese Adresse.',
    change: 'Ändern',
    changeTitle: 'Adresse ändern',
    warning:
      'Nummern eines anderen Ortsnetzes werden abgeschaltet, wenn du von dort wegziehst. Wo das nicht sicher ist, werden sie innerhalb von 14 Tagen geprüft.',
    postcode: 'Postleitzahl',
    city: 'Ort',
    state: 'Bundesland oder Region',
    street: 'Straße',
    number: 'Hausnummer',
    address1: 'Zusatz',
    saved: 'Die Adresse ist geändert.',
    confirmTitle: 'Adresse ändern?',
    confirmBody: (count: number) =>
      count === 1
        ? 'Eine Nummer gehört zu dieser Adresse. Es wird geprüft, ob sie bleiben kann.'
        : `${count} Nummern gehören zu dieser Adresse. Es wird geprüft, ob sie bleiben können.`,
    confirm: 'Adresse ändern',
    empty: 'Noch keine Adresse',
    emptyBody: 'Die erste Adresse eines Kontos trägt der Betreiber dieser Installation ein.',
  },
})
