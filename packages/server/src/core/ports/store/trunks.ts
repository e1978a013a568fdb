export interface Trunks {}
