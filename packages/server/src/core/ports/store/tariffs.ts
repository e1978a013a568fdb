export interface Tariffs {}
