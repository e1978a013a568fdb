export interface Attempts {}
