export interface Portings {}
