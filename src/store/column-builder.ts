/** One growing column: its type is declared, or inferred from its first cell that is not empty, and then enforced. */
import type { ColumnType } from "../caseset/table-spec.ts";
import { type Complain, type Place, strict } from "../core/refusal.ts";
import type { Cell } from "../core/row-ref.ts";
import type { Column } from "./table.ts";

const NUMBER = /^-?(?:(?:0|[1-9]\d*)(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?$/;

export class ColumnBuilder {
  readonly name: string;
  count = 0;
  readonly #fromText: boolean;
  #type: ColumnType | null;
  #numbers = new Float64Array(64);
  #codes = new Int32Array(0);
  #hidden: Uint8Array | null = null;
  readonly #dictionary: string[] = [];
  readonly #codeOf = new Map<string, number>();

  /** `fromText`: the cells are texts of a CSV file, and a number is spelled as JSON spells it, or without its first 0. */
  constructor(name: string, type: ColumnType | null, fromText: boolean) {
    this.name = name;
    this.#type = type;
    this.#fromText = fromText;
  }

  /** `null` is an absent cell, `undefined` one that is not yet available. */
  push(cell: Cell | undefined, place: Place, complain: Complain = strict): void {
    const i = this.count++;
    if (i >= this.#numbers.length && this.#codes.length <= i) this.#grow();
    if (cell === undefined) this.#hide(i);
    if (cell === undefined || cell === null) {
      this.#setAbsent(i);
      return;
    }
    this.#type ??= this.#infer(cell);
    if (this.#type === "string") this.#setText(i, cell, place, complain);
    else this.#setNumber(i, cell, place, complain);
  }

  numbers(): Float64Array {
    return this.#numbers.slice(0, this.count);
  }

  finish(): Column {
    const text = this.#type === "string" || this.#type === null;
    this.#ensure(text);
    return {
      name: this.name,
      type: this.#type ?? "string",
      numbers: text ? null : this.#numbers,
      codes: text ? this.#codes : null,
      dictionary: this.#dictionary,
      hidden: this.#hidden,
    };
  }

  #infer(cell: Cell): ColumnType {
    if (!this.#fromText) return typeof cell as ColumnType;
    if (NUMBER.test(cell as string)) return "number";
    return cell === "true" || cell === "false" ? "boolean" : "string";
  }

  #setText(i: number, cell: Cell, place: Place, complain: Complain): void {
    this.#ensure(true);
    if (typeof cell !== "string") {
      this.#codes[i] = -1;
      complain("CellInvalid", { place, column: this.name, found: JSON.stringify(cell), expected: "a text" });
      return;
    }
    if (!cell.isWellFormed()) {
      complain("CellInvalid", {
        place,
        column: this.name,
        found: JSON.stringify(cell),
        expected: "well-formed Unicode",
      });
    }
    let code = this.#codeOf.get(cell);
    if (code === undefined) {
      code = this.#dictionary.length;
      this.#dictionary.push(cell);
      this.#codeOf.set(cell, code);
    }
    this.#codes[i] = code;
  }

  #setNumber(i: number, cell: Cell, place: Place, complain: Complain): void {
    const value = this.#type === "number" ? this.#number(cell) : this.#boolean(cell);
    if (Number.isNaN(value)) {
      const expected = this.#type === "number" ? "a finite number" : "true or false";
      complain("CellInvalid", { place, column: this.name, found: String(cell), expected });
    }
    this.#numbers[i] = value;
  }

  #number(cell: Cell): number {
    const value = this.#fromText
      ? NUMBER.test(cell as string)
        ? Number(cell)
        : Number.NaN
      : typeof cell === "number"
        ? cell
        : Number.NaN;
    return Number.isFinite(value) ? value + 0 : Number.NaN;
  }

  #boolean(cell: Cell): number {
    if (cell === true || (this.#fromText && cell === "true")) return 1;
    return cell === false || (this.#fromText && cell === "false") ? 0 : Number.NaN;
  }

  #setAbsent(i: number): void {
    if (this.#type === "string") {
      this.#ensure(true);
      this.#codes[i] = -1;
    } else this.#numbers[i] = Number.NaN;
  }

  #hide(i: number): void {
    if (this.#hidden === null || this.#hidden.length <= i) {
      const grown = new Uint8Array(Math.max(64, 2 * (i + 1)));
      if (this.#hidden !== null) grown.set(this.#hidden);
      this.#hidden = grown;
    }
    this.#hidden[i] = 1;
  }

  /** Texts keep codes, numbers keep numbers: the other array is given back once the type is known. */
  #ensure(text: boolean): void {
    if (!text || this.#codes.length > 0) return;
    this.#codes = new Int32Array(Math.max(64, this.#numbers.length)).fill(-1);
    this.#numbers = new Float64Array(0);
  }

  #grow(): void {
    if (this.#codes.length > 0) {
      const grown = new Int32Array(this.#codes.length * 2).fill(-1);
      grown.set(this.#codes);
      this.#codes = grown;
    } else {
      const grown = new Float64Array(this.#numbers.length * 2);
      grown.set(this.#numbers);
      this.#numbers = grown;
    }
  }
}
