import { words } from '#words/languages.ts'

export const text = words({
  en: {
    title: 'Addresses',
    lead: 'Landline numbers need an address in their area. In an emergency, help is sent there.',
    address: 'Address',
    country: 'Country',
    numbers: 'Numbers at this address',
    noNumbers: 'No numbers at this address.',
    change: 'Change',
    changeTitle: 'Change the address',
    warning: 'When you move to another area, numbers of the old area are switched off. Where that is unclear, we check within 14 days.',
    postcode: 'Postcode',
    city: 'City',
    state: 'State or region',
    street: 'Street',
    number: 'House number',
    address1: 'Additional address line',
    saved: 'Address changed.',
    confirmTitle: 'Change the address?',
    confirmBody: (count: number) =>
      count === 1
        ? 'One number belongs to this address. We will check whether you can keep it.'
        : `${count} numbers belong to this address. We will check whether you can keep them.`,
    confirm: 'Change address',
    empty: 'No addresses yet',
    emptyBody: 'The operator of this installation enters the first address of an account.',
  },
  de: {
    title: 'Adressen',
    lead: 'Festnetznummern brauchen eine Adresse in ihrem Ortsnetz. Bei einem Notruf kommt die Hilfe dorthin.',
    address: 'Adresse',
    country: 'Land',
    numbers: 'Rufnummern an dieser Adresse',
    noNumbers: 'Keine Rufnummern an dieser Adresse.',
    change: 'Ändern',
    changeTitle: 'Adresse ändern',
    warning:
      'Ziehst du in ein anderes Ortsnetz, werden die Rufnummern des alten abgeschaltet. In unklaren Fällen prüfen wir das innerhalb von 14 Tagen.',
    postcode: 'Postleitzahl',
    city: 'Ort',
    state: 'Bundesland oder Region',
    street: 'Straße',
    number: 'Hausnummer',
    address1: 'Adresszusatz',
    saved: 'Adresse geändert.',
    confirmTitle: 'Adresse ändern?',
    confirmBody: (count: number) =>
      count === 1
        ? 'Zu dieser Adresse gehört eine Rufnummer. Wir prüfen, ob du sie behalten kannst.'
        : `Zu dieser Adresse gehören ${count} Rufnummern. Wir prüfen, ob du sie behalten kannst.`,
    confirm: 'Adresse ändern',
    empty: 'Noch keine Adressen',
    emptyBody: 'Die erste Adresse eines Kontos trägt der Betreiber dieser Installation ein.',
  },
})
