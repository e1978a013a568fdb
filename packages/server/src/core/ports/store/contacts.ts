export interface Contacts {}
